"""`fit` and `info`."""

from pathlib import Path
from typing import Any

import click

from isogloss.cli.options import JSON, MODEL, Learnable
from isogloss.cli.show import facts, json_line, number, progress
from isogloss.dictionary import WordPairs, identical_strings
from isogloss.engine import stage
from isogloss.recipes import RECIPES
from isogloss.translator import Translator, load
from isogloss.translator.model import LearntInfo, ModelInfo
from isogloss.translator.saved import place_for
from isogloss.vectors import Vectors, read


@click.command(short_help="Learn the map from a dictionary.")
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("target", type=click.Path(path_type=Path))
@click.option(
    "-d",
    "--dictionary",
    "dictionaries",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Pairs of words, one pair a line; may be given several times.",
)
@click.option("--identical", is_flag=True, help="Learn from strings that both languages have.")
@click.option("--reverse", is_flag=True, help="The dictionary lists the target language first.")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="A folder.")
@click.option(
    "--recipe",
    default="best",
    show_default=True,
    type=click.Choice(list(RECIPES)),
    help="How: the best, the paper's, or one of its baselines.",
)
@click.option("--n-components", type=Learnable(int, "learnt"), help="Directions to keep.")
@click.option("--n-samples", type=Learnable(int, "auto", "all"), help="Sources of hub numbers.")
@click.option("--beta", type=Learnable(float, "learnt"), help="The inverse temperature.")
@click.option("--strength", type=Learnable(float, "learnt"), help="λ: 0 to 1.")
@click.option("--center", is_flag=True, default=None, help="Subtract the mean rows first.")
@click.option("--limit", type=click.IntRange(1), help="Only the first so many words of a file.")
@click.option(
    "--seed",
    default=0,
    show_default=True,
    type=click.IntRange(0),
    help="Of everything that is drawn.",
)
@click.option(
    "--on-error",
    default="raise",
    show_default=True,
    type=click.Choice(["raise", "skip"]),
    help="What a malformed line does: stop, or be left out and counted.",
)
@click.option("--no-cache", is_flag=True, help="Keep no fast copy of the vectors.")
@JSON
def fit(
    source: Path,
    target: Path,
    dictionaries: tuple[Path, ...],
    identical: bool,
    reverse: bool,
    output: Path,
    recipe: str,
    limit: int | None,
    seed: int,
    on_error: Any,
    no_cache: bool,
    as_json: bool,
    **overrides: Any,
) -> None:
    """Learn the map between two files of word vectors, and keep it in a folder."""
    if not dictionaries and not identical:
        raise click.UsageError("got no dictionary; give --dictionary FILE, or --identical")
    place_for(output)
    with progress() as told:
        x, y = (
            read(
                path,
                limit=limit,
                on_error=on_error,
                cache=not no_cache,
                progress=stage(told, f"reading {path.name}"),
            )
            for path in (source, target)
        )
        pairs = _pairs(dictionaries, identical, reverse, on_error, x, y)
        model = Translator(recipe, random_state=seed, **overrides).fit(x, y, pairs, progress=told)
        model.save(output)
    show_info(model.info, as_json)


@click.command()
@MODEL
@JSON
def info(model: Path, as_json: bool) -> None:
    """What a model holds and how it was made."""
    show_info(load(model).info, as_json)


def _pairs(
    dictionaries: tuple[Path, ...],
    identical: bool,
    reverse: bool,
    on_error: Any,
    source: Vectors,
    target: Vectors,
) -> WordPairs:
    parts = [WordPairs.read(path, reverse=reverse, on_error=on_error) for path in dictionaries]
    if identical:
        parts.append(identical_strings(source, target))
    if len(parts) == 1:
        return parts[0]
    named = " + ".join(part.path or "identical strings" for part in parts)
    pairs = tuple(pair for part in parts for pair in part.pairs)
    return WordPairs(pairs, named, sum(part.skipped for part in parts))


def show_info(info: ModelInfo, as_json: bool) -> None:
    """What a model holds and what was learnt, one line each."""
    if as_json:
        json_line(info)
        return
    before = "" if info.cosine_before is None else f"{number(info.cosine_before)} before, "
    facts(
        [
            ("recipe", f"{info.recipe}, seed {info.seed}"),
            ("source", _language(info.source.path, info.source.words, info.source.vector_size)),
            ("target", _language(info.target.path, info.target.words, info.target.vector_size)),
            ("dictionary", info.pairs.describe()),
            ("dimensions", f"{info.n_components}"),
            ("mean cosine of pairs", f"{before}{number(info.cosine_after)} after"),
            ("source → target", _learnt(info.forward)),
            ("target → source", _learnt(info.backward)),
        ]
    )


def _language(path: str | None, words: int, d: int) -> str:
    return f"{words:,} words × {d}" + (f" from {path}" if path else "")


def _learnt(learnt: LearntInfo) -> str:
    beta = "∞" if learnt.beta is None else f"{learnt.beta:.1f}"
    text = f"β = {beta}, λ = {number(learnt.strength, 2)}"
    if learnt.sources:
        text += f", hub numbers from {learnt.sources:,} words"
    if learnt.words:
        text += f", learnt from {learnt.words:,} words"
    return text + (f" ({learnt.note})" if learnt.note else "")
