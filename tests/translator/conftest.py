import pytest

from isogloss.translator import Translator
from translator.worlds import world


@pytest.fixture(autouse=True, scope="session")
def _home(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ISOGLOSS_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="session")
def small():
    return world()


@pytest.fixture(scope="session")
def unequal():
    """Vectors of different sizes on the two sides."""
    return world(d_x=14, d_y=9, noise=0.4, seed=1)


@pytest.fixture(scope="session")
def model(small):
    return Translator().fit(*small.three)


@pytest.fixture(scope="session")
def asymmetric(small):
    """A map that is fitted once for each direction."""
    return Translator("mikolov").fit(*small.three)
