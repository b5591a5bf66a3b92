"""The top-k of x·y + b."""

from collections.abc import Mapping
from types import MappingProxyType

from isogloss.index.exact import Exact
from isogloss.index.model import Builder, Index
from isogloss.registry import named

__all__ = ["Builder", "Exact", "Index", "index"]


def index(name: str | Builder) -> Builder:
    """The index of a name; anything that builds one is returned as it is."""
    return named(INDEXES, "index", name)


INDEXES: Mapping[str, Builder] = MappingProxyType({"exact": Exact})
