import os
from pathlib import Path

import pytest
from hypothesis import settings

from isogloss.vectors.words import Words

settings.register_profile("dictionary", database=None, deadline=None, max_examples=60)
settings.load_profile("dictionary")


@pytest.fixture(scope="session")
def vocabulary():
    """Reads a vocabulary of the real data, where there is any."""
    beside = Path(__file__).parents[3] / "shared" / "data"
    folder = Path(os.environ.get("ISOGLOSS_DATA", beside))
    if not (folder / "en-it" / "en.words.txt").is_file():
        pytest.skip(f"no real words in {folder}; set ISOGLOSS_DATA")

    def read(name):
        lines = (folder / f"{name}.words.txt").read_bytes().split(b"\n")
        return Words.of_bytes(lines[:-1])

    read.folder = folder
    return read
