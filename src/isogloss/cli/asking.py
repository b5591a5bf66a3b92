"""`translate` and `lexicon`."""

import codecs
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from isogloss.cli.options import JSON, MODEL, REVERSE
from isogloss.cli.show import json_line, note, number, progress, table, tsv
from isogloss.translator import Answer, load

_BATCH = 1000


def _topn(default: int) -> Callable[[Any], Any]:
    return click.option(
        "-n",
        "--topn",
        default=default,
        show_default=True,
        type=click.IntRange(1),
        help="So many translations of each word.",
    )


@click.command(short_help="Translate words, with probabilities.")
@MODEL
@click.argument("words", nargs=-1)
@REVERSE
@_topn(5)
@JSON
@click.pass_context
def translate(
    ctx: click.Context, model: Path, words: tuple[str, ...], reverse: bool, topn: int, as_json: bool
) -> None:
    """Translate WORDS, or one word a line of standard input, with probabilities.

    The exit status is 1 if a word was unknown; the others are answered all the same.
    """
    translator = load(model)
    unknown = 0
    for batch in [list(words)] if words else _lines():
        answers = translator.translate(batch, topn, reverse=reverse)
        unknown += sum(answer.error is not None for answer in answers)
        if as_json:
            for answer in answers:
                json_line(answer)
        else:
            _print(answers)
        sys.stdout.flush()
    if unknown:
        ctx.exit(1)


@click.command(short_help="Every word with its translation and probability.")
@MODEL
@REVERSE
@_topn(1)
@click.option(
    "-p",
    "--min-probability",
    default=0.0,
    type=click.FloatRange(0, 1),
    help="Only translations that are so probable or more.",
)
@click.option(
    "--mutual", is_flag=True, help="Only translations whose own best translation is the word."
)
@click.option("--limit", type=click.IntRange(1), help="Only the first so many words.")
@JSON
def lexicon(
    model: Path,
    reverse: bool,
    topn: int,
    min_probability: float,
    mutual: bool,
    limit: int | None,
    as_json: bool,
) -> None:
    """Every word with its translation and probability, as tab-separated lines or JSON lines."""
    translator = load(model)
    with progress(printing=True) as told:
        answers = translator.lexicon(
            topn=topn,
            reverse=reverse,
            min_probability=min_probability,
            mutual=mutual,
            limit=limit,
            progress=told,
        )
        for answer in answers:
            if as_json:
                json_line(answer)
            else:
                for t in answer.translations:
                    tsv((answer.query, t.word, f"{t.probability:.4f}"))


def _print(answers: list[Answer]) -> None:
    rows = []
    for answer in answers:
        if answer.error is not None:
            hint = f"; did you mean {', '.join(answer.suggestions)}?" if answer.suggestions else ""
            note(f"isogloss: {answer.error}: {answer.query}{hint}")
        name = answer.query
        if answer.found_as is not None:
            name += f" ({answer.found_as})"
        for t in answer.translations:
            rows.append((name, t.word, f"{t.probability:.4f}", number(t.cosine)))
    if rows:
        table(("word", "translation", "probability", "cosine"), rows, numbers=2)


def _lines() -> Iterator[list[str]]:
    """The lines of standard input as they come, so that a person or a pipe is answered at once."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    rest = ""
    # The file descriptor itself: a buffered reader waits until its buffer is full.
    while data := os.read(sys.stdin.fileno(), 1 << 16):
        *lines, rest = (rest + decoder.decode(data)).split("\n")
        words = [word for word in map(_word, lines) if word]
        for start in range(0, len(words), _BATCH):
            yield words[start : start + _BATCH]
    rest = _word(rest + decoder.decode(b"", final=True))
    if rest:
        yield [rest]


def _word(line: str) -> str:
    """A line without the space around it; a word's own, such as U+00A0 or U+3000, stays."""
    return line.strip(" \t\r")
