"""One number per target, against hubs: targets that are near to everything."""

from collections.abc import Mapping
from types import MappingProxyType

from isogloss.hubness.csls import CSLS
from isogloss.hubness.inverted_softmax import InvertedSoftmax
from isogloss.hubness.model import Correction
from isogloss.hubness.nearest_neighbour import NearestNeighbour
from isogloss.registry import named

__all__ = ["CSLS", "Correction", "InvertedSoftmax", "NearestNeighbour", "correction"]


def correction(name: str | Correction) -> Correction:
    """The hub correction of a name; a correction is returned as it is."""
    return named(CORRECTIONS, "correction", name)


CORRECTIONS: Mapping[str, Correction] = MappingProxyType(
    {
        "nearest_neighbour": NearestNeighbour(),
        "inverted_softmax": InvertedSoftmax(),
        "csls": CSLS(),
    }
)
