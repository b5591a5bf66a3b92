"""The top-k of x·y + b."""

from collections.abc import Mapping
from types import MappingProxyType

from isogloss.errors import IsoglossError
from isogloss.index.exact import Exact
from isogloss.index.model import Builder, Index

__all__ = ["Builder", "Exact", "Index", "index"]


def index(name: str | Builder) -> Builder:
    """The index of a name; anything that builds one is returned as it is."""
    if not isinstance(name, str):
        return name
    if name not in INDEXES:
        raise IsoglossError(f"got index {name!r}, expected one of {', '.join(INDEXES)}")
    return INDEXES[name]


INDEXES: Mapping[str, Builder] = MappingProxyType({"exact": Exact})
