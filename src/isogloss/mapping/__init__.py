"""M → U, Σ, V: linear maps of two languages into one space, from second moments alone."""

from collections.abc import Mapping as MappingABC
from types import MappingProxyType

from isogloss.mapping.cca import CCA
from isogloss.mapping.least_squares import LeastSquares
from isogloss.mapping.moments import Moments
from isogloss.mapping.orthogonal import Orthogonal
from isogloss.mapping.space import Mapping, Side, Space
from isogloss.registry import named

__all__ = ["CCA", "LeastSquares", "Mapping", "Moments", "Orthogonal", "Side", "Space", "mapping"]


def mapping(name: str | Mapping) -> Mapping:
    """The map of a name; a map is returned as it is."""
    return named(MAPPINGS, "mapping", name)


MAPPINGS: MappingABC[str, Mapping] = MappingProxyType(
    {
        "orthogonal": Orthogonal(),
        "least_squares": LeastSquares(),
        "cca": CCA(),
    }
)
