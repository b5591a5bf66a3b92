"""One number per target, against hubs: targets that are near to everything."""

from collections.abc import Mapping
from types import MappingProxyType

from isogloss.errors import IsoglossError
from isogloss.hubness.csls import CSLS
from isogloss.hubness.inverted_softmax import InvertedSoftmax
from isogloss.hubness.model import Correction
from isogloss.hubness.nearest_neighbour import NearestNeighbour

__all__ = ["CSLS", "Correction", "InvertedSoftmax", "NearestNeighbour", "correction"]


def correction(name: str | Correction) -> Correction:
    """The hub correction of a name; a correction is returned as it is."""
    if not isinstance(name, str):
        return name
    if name not in CORRECTIONS:
        raise IsoglossError(f"got correction {name!r}, expected one of {', '.join(CORRECTIONS)}")
    return CORRECTIONS[name]


CORRECTIONS: Mapping[str, Correction] = MappingProxyType(
    {
        "nearest_neighbour": NearestNeighbour(),
        "inverted_softmax": InvertedSoftmax(),
        "csls": CSLS(),
    }
)
