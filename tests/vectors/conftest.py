import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("vectors", database=None, deadline=None, max_examples=60)
settings.load_profile("vectors")


@pytest.fixture(autouse=True, scope="session")
def _home(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ISOGLOSS_HOME", str(tmp_path_factory.mktemp("home")))
        patch.delenv("ISOGLOSS_CACHE_SIZE", raising=False)
        yield


@pytest.fixture(scope="session")
def data():
    """The folder of real vectors, where there is one."""
    beside = Path(__file__).parents[3] / "shared" / "data"
    folder = Path(os.environ.get("ISOGLOSS_DATA", beside))
    if not (folder / "en-it" / "en.npy").is_file():
        pytest.skip(f"no real vectors in {folder}; set ISOGLOSS_DATA")
    return folder


@pytest.fixture
def save(tmp_path):
    """Write bytes to a file and return its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
