"""What the commands print: tables on stdout, everything else on stderr."""

import logging
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click
import msgspec
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table

from isogloss.engine import Stages
from isogloss.vectors.words import printable

_SEPARATORS = str.maketrans("\t\n", "  ")


def note(text: str) -> None:
    """A line on stderr."""
    click.echo(text, err=True)


class Notes(logging.Handler):
    """Shows the library's warnings as notes."""

    def emit(self, record: logging.LogRecord) -> None:
        """One line on stderr."""
        note(f"isogloss: {record.getMessage()}")


def json_line(value: Any) -> None:
    """One line of JSON on stdout."""
    click.echo(msgspec.json.encode(_mend(msgspec.to_builtins(value))))


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers: int = 0,
    header: bool = False,
) -> None:
    """Rows on stdout: aligned where a person reads them, else with tabs between the columns.

    The last `numbers` columns are numbers. A person sees the columns' names in any case, a pipe
    only with `header`.
    """
    if not sys.stdout.isatty():
        for row in (columns, *rows) if header else rows:
            tsv(row)
        return
    shown = Table(box=None, header_style="dim", pad_edge=False, show_header=any(columns))
    for at, column in enumerate(columns):
        right = at >= len(columns) - numbers
        shown.add_column(column, justify="right" if right else "left", overflow="fold")
    for row in rows:
        shown.add_row(*(cell.replace("[", r"\[") for cell in row))
    Console(file=sys.stdout, highlight=False).print(shown)


def tsv(row: Sequence[str]) -> None:
    """One row with tabs between its cells; a word's own bytes are kept."""
    line = "\t".join(cell.translate(_SEPARATORS) for cell in row) + "\n"
    click.echo(line.encode("utf-8", "surrogateescape"), nl=False)


def facts(pairs: Sequence[tuple[str, str]]) -> None:
    """Named facts, one a line."""
    width = max(len(name) for name, _ in pairs)
    for name, value in pairs:
        click.echo(f"{name:<{width}}  {value}")


def number(value: float | None, digits: int = 3) -> str:
    """A figure without its leading zero, or a dash."""
    return "-" if value is None else re.sub(r"^(-?)0\.", r"\1.", f"{value:.{digits}f}")


@contextmanager
def progress(*, printing: bool = False) -> Iterator[Stages | None]:
    """Bars on stderr while something is done; None where stderr is no terminal.

    Nor are there bars where rows are being printed on a terminal meanwhile: the two would mix.
    """
    if not sys.stderr.isatty() or (printing and sys.stdout.isatty()):
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bars:

        def tell(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield tell


def _mend(value: Any) -> Any:
    """Plain data whose strings JSON can hold."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {key: _mend(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_mend(part) for part in value]
    return value
