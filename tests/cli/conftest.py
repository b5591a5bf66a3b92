import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from isogloss.translator import Translator
from translator.worlds import world, write_pairs, write_text

MAIN = "from isogloss.cli import main; main()"


@dataclass(frozen=True)
class Ran:
    """A command that has ended; `out` and `err` are its bytes as text."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Place:
    """A folder with two languages, dictionaries and models, where commands are run."""

    folder: Path

    def command(self, *args, script=MAIN):
        return [sys.executable, "-W", "error", "-c", script, *map(str, args)]

    @property
    def env(self):
        return os.environ | {"ISOGLOSS_HOME": str(self.folder / "home")}

    def run(self, *args, stdin=b"", script=MAIN, **env):
        done = subprocess.run(
            self.command(*args, script=script),
            cwd=self.folder,
            input=stdin,
            capture_output=True,
            env=self.env | env,
            timeout=120,
            check=False,
        )
        out, err = (text.decode("utf-8", "surrogateescape") for text in (done.stdout, done.stderr))
        return Ran(done.returncode, out, err)

    def names(self):
        """What is in the folder."""
        return {path.name for path in self.folder.iterdir()}


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("place")
    small = world(n=120, d_x=10, d_y=10, n_train=80, noise=0.5)
    write_text(folder / "en.vec", small.source)
    write_text(folder / "it.vec", small.target)
    write_pairs(folder / "train.txt", small.train)
    write_pairs(folder / "reversed.txt", small.train.reversed())
    write_pairs(folder / "test.txt", [*small.test, ("mystery", "t3"), ("s3", "mistero")])
    Translator("isf").fit(*small.three).save(folder / "model")
    Translator("nn", n_components=3).fit(*small.three).save(folder / "worse")
    (folder / "photos").mkdir()
    (folder / "photos" / "cat.jpg").write_bytes(b"miaow")
    return Place(folder)
