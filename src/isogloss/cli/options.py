"""Options that several commands share."""

from pathlib import Path
from typing import Any

import click

MODEL = click.argument("model", type=click.Path(path_type=Path))
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON, one object a line.")
REVERSE = click.option("--reverse", is_flag=True, help="From the target language to the source.")


class Learnable(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A number, or the word `learnt`, or others that the option knows."""

    def __init__(self, kind: type, *words: str) -> None:
        self.kind, self.words = kind, words
        self.name = "|".join((kind.__name__.upper(), *words))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, or the word itself."""
        if value in self.words:
            return value
        try:
            return self.kind(value)
        except ValueError:
            expected = " or ".join((f"a number ({self.kind.__name__})", *self.words))
            self.fail(f"got {value!r}, expected {expected}", param, ctx)
