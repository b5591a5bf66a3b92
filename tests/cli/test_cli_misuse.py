import os
import signal
import time
from subprocess import PIPE, Popen

import pytest

from isogloss.translator import load

MAIN = "from isogloss.cli import main; main()"
FIT = ("fit", "en.vec", "it.vec", "-d", "train.txt", "-o")
MISUSE = {
    "no command": ((), 2, "Usage:"),
    "no such command": (("trnaslate",), 2, "No such command 'trnaslate'"),
    "no such option": (("info", "model", "--fast"), 2, "No such option"),
    "no model named": (("translate",), 2, "Missing argument 'MODEL'"),
    "no dictionary": ((*FIT[:3], "-o", "m"), 2, "got no dictionary; give --dictionary"),
    "no output": (FIT[:5], 2, "Missing option '-o'"),
    "no such recipe": ((*FIT, "m", "--recipe", "bset"), 2, "'bset' is not one of 'best'"),
    "topn 0": (("translate", "model", "s1", "-n", "0"), 2, "0 is not in the range"),
    "beta in words": ((*FIT, "m", "--beta", "hot"), 2, "got 'hot', expected a number (float)"),
    "negative seed": ((*FIT, "m", "--seed", "-1"), 2, "-1 is not in the range"),
    "beta below 0": ((*FIT, "m", "--beta", "-3"), 1, "got beta=-3.0, expected a number above 0"),
    "strength 2": ((*FIT, "m", "--strength", "2"), 1, "got strength=2.0, expected 0 to 1"),
    "too many directions": ((*FIT, "m", "--n-components", "99"), 1, "expected 1 to 10"),
    "setting it lacks": ((*FIT, "m", "--recipe", "nn", "--n-samples", "9"), 1, "'n_samples'"),
    "no such vectors": (
        ("fit", "eng.vec", "it.vec", "-d", "train.txt", "-o", "m"),
        1,
        "eng.vec: got no such file; did you mean en.vec",
    ),
    "no such dictionary": ((*FIT[:3], "-d", "trian.txt", "-o", "m"), 1, "mean train.txt"),
    "truncated vectors": (("fit", "cut.vec", *FIT[2:], "m"), 1, "cut.vec"),
    "a web page": (("fit", "page.vec", *FIT[2:], "m"), 1, "page.vec"),
    "an empty file": (("fit", "empty.vec", *FIT[2:], "m"), 1, "empty.vec"),
    "an empty dictionary": ((*FIT[:3], "-d", "empty.vec", "-o", "m"), 1, "an empty file"),
    "half a pair": ((*FIT[:3], "-d", "half.txt", "-o", "m"), 1, "half.txt:2: got only 's1'"),
    "the wrong languages": (
        (*FIT[:3], "-d", "other.txt", "-o", "m"),
        1,
        "the dictionary goes from 'a', 'b', 'c' to 'd', 'e', 'f', "
        "the vectors from 's0', 's1', 's2' to 't0', 't1', 't2'",
    ),
    "the wrong way round": (
        (*FIT[:3], "-d", "reversed.txt", "-o", "m"),
        1,
        "the other way round: 80 of 80 pairs match in reverse, 0 as they stand; exchange",
    ),
    "nothing identical": (("fit", "en.vec", "it.vec", "--identical", "-o", "m"), 1, "no string"),
    "output is a folder of others": ((*FIT, "photos"), 1, "photos: got something that isogloss"),
    "output is a file": ((*FIT, "half.txt"), 1, "half.txt: got something that isogloss"),
    "output below a file": ((*FIT, "half.txt/m"), 1, "half.txt"),
    "output is here": ((*FIT, "."), 1, "got the current folder"),
    "no such model": (("translate", "modle", "s1"), 1, "modle: got no model.json in it"),
    "vectors for a model": (("evaluate", "en.vec", "test.txt"), 1, "got no model.json in it"),
    "no such list": (("evaluate", "model", "tests.txt"), 1, "did you mean test.txt"),
    "a list of nothing": (("evaluate", "model", "empty.vec"), 1, "an empty file"),
    "nothing to check": (("check", "model", "other.txt"), 1, "no pair with both sides"),
    "rows of another size": (("transform", "model", "short.vec", "-o", "x.vec"), 1, "(n, 10)"),
    "unknown form": (("transform", "model", "en.vec", "-o", "x.doc"), 1, "x.doc"),
    "a file below a file": (("transform", "model", "en.vec", "-o", "half.txt/x.vec"), 1, "half"),
    "no form": (("export", "model", "--aligned", "doc"), 2, "'doc' is not one of"),
}


@pytest.fixture(scope="module", autouse=True)
def _files(place):
    text = (place.folder / "en.vec").read_bytes()
    files = {
        "cut.vec": text[: len(text) // 2],
        "page.vec": b"<!DOCTYPE html>\n<html><body>404</body></html>\n",
        "empty.vec": b"",
        "short.vec": b"2 3\nx 1 2 3\ny 3 2 1\n",
        "half.txt": b"s0 t0\ns1\n",
        "other.txt": b"a d\nb e\nc f\n",
    }
    for name, content in files.items():
        (place.folder / name).write_bytes(content)


@pytest.mark.parametrize("name", MISUSE)
def test_misuse_is_told_in_plain_words(place, name):
    args, status, message = MISUSE[name]
    before = place.names() | {"home"}
    ran = place.run(*args)
    assert ran.status == status
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""
    if status == 1:
        assert ran.err.startswith("isogloss: ")
        assert ran.err.count("\n") == 1
    assert place.names() | {"home"} == before


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="this user may write everywhere"
)
def test_a_folder_that_may_not_be_written_to(place):
    locked = place.folder / "locked"
    locked.mkdir(exist_ok=True)
    locked.chmod(0o500)
    for args in ((*FIT, "locked/m"), ("transform", "model", "en.vec", "-o", "locked/x.vec")):
        ran = place.run(*args)
        assert ran.status == 1
        assert "Permission denied" in ran.err
        assert ran.err.count("\n") == 1


def test_a_dictionary_that_is_mostly_the_wrong_way_round_is_told(place):
    (place.folder / "mixed.txt").write_text(
        (place.folder / "reversed.txt").read_text("utf-8") + "s1\tt1\n", "utf-8"
    )
    ran = place.run("fit", "en.vec", "it.vec", "-d", "mixed.txt", "-o", "mixed", "--json")
    assert ran.status == 1
    assert "80 of 81 pairs match in reverse, 1 as they stand" in ran.err
    assert not (place.folder / "mixed").exists()


def test_a_bug_keeps_its_traceback(place):
    script = f"import isogloss.cli.asking as a; a.load = lambda path: 1 / 0; {MAIN}"
    ran = place.run("translate", "model", "s1", script=script)
    assert ran.status == 1
    assert "Traceback" in ran.err
    assert "ZeroDivisionError" in ran.err


SLOW = """
import signal, sys, time
import isogloss.translator.saved as saved
from isogloss.mapping import Space
signal.signal(signal.SIGINT, signal.default_int_handler)
def slow(*args, **kwargs):
    print("here", file=sys.stderr, flush=True)
    time.sleep(60)
{what} = slow
from isogloss.cli import main
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are sent otherwise here")
@pytest.mark.parametrize("old", [False, True], ids=["new", "replacing"])
@pytest.mark.parametrize("what", ["Space.project", "saved.write_tensors"])
def test_an_interrupted_fit_leaves_nothing_half_written(place, what, old):
    output = place.folder / f"interrupted-{what}"
    if old:
        load(place.folder / "worse").save(output)
    before = place.names() | {"home"}
    command = place.command(*FIT, output, script=SLOW.format(what=what))
    started = time.monotonic()
    with Popen(command, cwd=place.folder, env=place.env, stdout=PIPE, stderr=PIPE) as child:
        assert child.stderr.readline() == b"here\n"
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    assert time.monotonic() - started < 50
    assert child.returncode == 130
    assert out == b""
    assert err.decode().strip() == "isogloss: interrupted"
    assert place.names() | {"home"} == before
    if old:
        assert load(output).info.recipe == "nn, changed"


@pytest.mark.skipif(os.name != "posix", reason="pipes close otherwise here")
@pytest.mark.parametrize("args", [("lexicon", "model"), ("translate", "model", "s1"), ("info",)])
def test_a_reader_that_has_gone_is_no_trouble(place, args):
    args = (*args, "model") if args == ("info",) else args
    reader, writer = os.pipe()
    os.close(reader)
    command = place.command(*args)
    with Popen(command, cwd=place.folder, env=place.env, stdout=writer, stderr=PIPE) as child:
        os.close(writer)
        _, err = child.communicate(timeout=60)
    assert err == b""
    assert child.returncode in (1, 128 + signal.SIGPIPE)
