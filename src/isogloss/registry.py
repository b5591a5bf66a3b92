"""Where strings become objects."""

from collections.abc import Mapping
from typing import TypeVar

from isogloss.errors import IsoglossError

Method = TypeVar("Method")


def named(table: Mapping[str, Method], what: str, name: str | Method) -> Method:
    """The object of a name in a table; an object is returned as it is."""
    if not isinstance(name, str):
        return name
    if name not in table:
        raise IsoglossError(f"got {what} {name!r}, expected one of {', '.join(table)}")
    return table[name]
