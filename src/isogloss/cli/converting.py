"""`export`, `transform` and `cache`."""

from pathlib import Path
from typing import Any

import click

from isogloss.cli.options import JSON, MODEL
from isogloss.cli.show import json_line, note, progress, table
from isogloss.engine import stage
from isogloss.errors import IsoglossError
from isogloss.translator import load
from isogloss.vectors import Cache, read, write


@click.command(short_help="Write both languages in one space.")
@MODEL
@click.option(
    "--aligned",
    "form",
    default="vec",
    show_default=True,
    type=click.Choice(["vec", "bin", "safetensors"]),
    help="The format of the two files.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="A folder for the files, or how their names begin.",
)
def export(model: Path, form: str, output: Path | None) -> None:
    """Write both languages in one space: NAME.source.vec and NAME.target.vec."""
    name = model.resolve().name
    prefix = Path(name) if output is None else output / name if output.is_dir() else output
    for side, vectors in zip(("source", "target"), load(model).aligned(), strict=True):
        path = prefix.with_name(f"{prefix.name}.{side}.{form}")
        path.parent.mkdir(parents=True, exist_ok=True)
        with progress() as told:
            write(path, vectors, progress=stage(told, f"writing {path.name}"))
        note(f"{path}: {len(vectors):,} × {vectors.vector_size}")


@click.command(short_help="Bring other vectors into a model's shared space.")
@MODEL
@click.argument("vectors", type=click.Path(path_type=Path))
@click.option(
    "--side",
    default="source",
    show_default=True,
    type=click.Choice(["source", "target"]),
    help="The model's language that the vectors are of.",
)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    help="A file; its name's ending says the format.",
)
@click.option("--no-cache", is_flag=True, help="Keep no fast copy of the vectors.")
def transform(model: Path, vectors: Path, side: Any, output: Path, no_cache: bool) -> None:
    """Bring a file of vectors that the model never saw into its shared space."""
    translator = load(model)
    with progress() as told:
        rows = read(vectors, cache=not no_cache, progress=stage(told, f"reading {vectors.name}"))
        moved = translator.transform(rows, side)
        output.parent.mkdir(parents=True, exist_ok=True)
        write(output, moved, progress=stage(told, f"writing {output.name}"))
    note(f"{output}: {len(moved):,} × {moved.vector_size}")


@click.group(
    invoke_without_command=True, short_help="The fast copies of vectors: see, verify or clear them."
)
@JSON
@click.pass_context
def cache(ctx: click.Context, as_json: bool) -> None:
    """The fast copies of vectors that were read: see, verify or clear them."""
    if ctx.invoked_subcommand is not None:
        return
    kept = Cache()
    entries = kept.entries()
    note(f"{kept.folder}: {len(entries)} copies, {sum(e.bytes for e in entries) / 1e6:,.0f} MB")
    if as_json:
        for entry in entries:
            json_line({"source": entry.source, "bytes": entry.bytes, "key": entry.key})
        return
    table(
        ("vectors", "MB"),
        [(entry.source or "-", f"{entry.bytes / 1e6:,.1f}") for entry in entries],
        numbers=1,
    )


@cache.command()
def clear() -> None:
    """Delete all copies."""
    note(f"{Cache().clear() / 1e6:,.0f} MB freed")


@cache.command()
def verify() -> None:
    """Read all copies and their originals again; say what has changed."""
    problems = Cache().verify()
    for problem in problems:
        note(problem)
    if problems:
        raise IsoglossError(f"{len(problems)} copies differ; `isogloss cache clear` deletes them")
    note("all copies are whole")
