"""What a person sees, who has stdout and stderr on one terminal."""

import os
import re
from subprocess import Popen

import pytest

from isogloss.cli import isogloss
from isogloss.cli.show import number

on_posix = pytest.mark.skipif(os.name != "posix", reason="there are no such terminals here")


def seen(place, *args):
    """What a command writes to a terminal, and its lines without what colours them."""
    ours, its = os.openpty()
    env = place.env | {"COLUMNS": "100", "TERM": "xterm"}
    with Popen(place.command(*args), cwd=place.folder, env=env, stdout=its, stderr=its) as child:
        os.close(its)
        data = b""
        try:
            while part := os.read(ours, 1 << 16):
                data += part
        except OSError:  # Linux says so that the other end is closed
            pass
        assert child.wait(timeout=60) == 0
    os.close(ours)
    text = data.decode().replace("\r\n", "\n")
    return text, re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).splitlines()


@on_posix
def test_a_table_has_its_header_once(place):
    _, lines = seen(place, "evaluate", "model", "test.txt")
    heads = [line.split() for line in lines if "MRR" in line]
    assert heads == [["words", "P@1", "P@5", "P@10", "MRR"]]
    assert not any(line.startswith("rank unknown") for line in lines)
    _, lines = seen(place, "check", "model", "--top", "2")
    assert len(lines) == 3
    assert lines[0].endswith("probability")
    assert len({len(line) for line in lines}) == 1  # figures end where their column does


@on_posix
def test_a_lexicon_on_a_terminal_has_no_bar_among_its_lines(place):
    text, lines = seen(place, "lexicon", "model", "--mutual", "--limit", "5")
    assert "\x1b" not in text
    assert all(len(line.split("\t")) == 3 for line in lines)


def test_a_figure_has_no_zero_before_its_point():
    shown = [number(v) for v in (0.85, -0.25, 10.5, -10.25, 1.0, 0.0, None)]
    assert shown == [".850", "-.250", "10.500", "-10.250", "1.000", ".000", "-"]


@pytest.mark.parametrize("name", sorted(set(isogloss.commands)))
def test_no_command_is_described_by_half_a_sentence(name):
    assert not isogloss.commands[name].get_short_help_str(63).endswith("...")
