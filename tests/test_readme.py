"""Every command and every line of Python in the README runs, and prints what it says."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"
MAIN = "from isogloss.cli import main; main()"


def code(language: str) -> str:
    found = re.findall(rf"```{language}\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(found) == 1
    return found[0]


def commands() -> list[tuple[str, str]]:
    parts = re.split(r"^\$ (.*)\n", code("console"), flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("readme")
    os.environ["ISOGLOSS_HOME"] = str(folder / "home")
    for line, expected in commands():
        words, _, output = line.partition(" > ")
        name, *arguments = shlex.split(words)
        assert name == "isogloss"
        done = subprocess.run(
            [sys.executable, "-c", MAIN, *arguments],
            cwd=folder,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stderr
        if output:
            (folder / output).write_text(done.stdout, encoding="utf-8")
            assert len(done.stdout.splitlines()) > 100
        else:
            pattern = re.escape(expected).replace(r"\.\.\.", ".*")
            assert re.fullmatch(pattern, done.stdout), f"{line}\n{done.stdout}"
    yield folder
    del os.environ["ISOGLOSS_HOME"]


def test_the_commands_print_what_the_readme_says(folder: Path) -> None:
    made = {path.name for path in folder.iterdir()}
    assert {"en-it", "en-it.tsv", "en-it.source.vec", "en-it.target.vec", "new.vec"} <= made


def test_the_python_lines_print_what_the_readme_says(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    test = doctest.DocTestParser().get_doctest(code("python"), {}, "README.md", None, 0)
    runner = doctest.DocTestRunner()
    runner.run(test)
    assert runner.failures == 0
    assert runner.tries >= 9
