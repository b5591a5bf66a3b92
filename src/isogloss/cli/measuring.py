"""`evaluate` and `check`."""

from pathlib import Path

import click
import msgspec

from isogloss.cli.options import JSON, MODEL, REVERSE
from isogloss.cli.show import facts, json_line, number, table
from isogloss.dictionary import WordPairs
from isogloss.evaluation import PairedTest, Report, compare
from isogloss.translator import load


@click.command(short_help="Precision at 1, 5 and 10 on a dictionary.")
@MODEL
@click.argument("dictionary", type=click.Path(path_type=Path))
@REVERSE
@click.option(
    "--compare", "other", type=click.Path(path_type=Path), help="Another model, by a paired test."
)
@JSON
def evaluate(
    model: Path, dictionary: Path, reverse: bool, other: Path | None, as_json: bool
) -> None:
    """Precision at 1, 5 and 10 on a DICTIONARY that lists the source language first."""
    pairs = WordPairs.read(dictionary)
    ours = load(model).score(pairs, reverse=reverse)
    test = None
    if other is not None:
        theirs = load(other).score(pairs, reverse=reverse)
        test = compare(ours.ranks, theirs.ranks)
    if as_json:
        printed = msgspec.to_builtins(ours.report)
        if other is not None:
            printed["compare"] = msgspec.to_builtins(test)
        json_line(printed)
        return
    _print(ours.report)
    if other is not None:
        _print_test(test, other)


@click.command(short_help="A dictionary's pairs, the doubtful ones first.")
@MODEL
@click.argument("dictionary", required=False, type=click.Path(path_type=Path))
@click.option("-n", "--top", type=click.IntRange(1), help="Only the so many most doubtful.")
@JSON
def check(model: Path, dictionary: Path | None, top: int | None, as_json: bool) -> None:
    """A dictionary's pairs, the doubtful ones first; without DICTIONARY the training pairs.

    Pairs that were trained on are judged by a map that was fitted without them.
    """
    translator = load(model)
    held = translator.fitted
    pairs = (
        WordPairs.of(
            (held.source_words[i], held.target_words[j])
            for i, j in held.pairs.tolist()
            if min(i, j) >= 0
        )
        if dictionary is None
        else WordPairs.read(dictionary)
    )
    doubts = translator.check(pairs)[:top]
    if as_json:
        for doubt in doubts:
            json_line(doubt)
        return
    table(
        ("source", "target", "probability", "", "the model's own", "probability"),
        [
            (
                d.source,
                d.target,
                f"{d.probability:.2g}",
                "held out" if d.held_out else "not trained on",
                d.best,
                number(d.best_probability, 2),
            )
            for d in doubts
        ],
        numbers=1,
    )


def _print(report: Report) -> None:
    words, low_high = report.words, report.interval
    interval = "-" if low_high is None else f"{number(low_high[0])} to {number(low_high[1])}"
    facts(
        [
            ("words listed", f"{words.listed:,}"),
            ("words covered", f"{words.covered:,} (the word and a translation are known)"),
            ("seen in training", f"{words.seen_source:,} as words, {words.seen_target:,} answers"),
            ("95% interval of P@1", f"{interval} (covered words, bootstrap)"),
        ]
    )
    click.echo()
    ks = list(report.precision.covered)
    rows = [
        (
            name,
            f"{count:,}",
            *(number(precision[k]) for k in ks),
            number(mrr),
        )
        for name, count, precision, mrr in (
            ("covered", words.covered, report.precision.covered, report.mrr.covered),
            ("listed", words.listed, report.precision.listed, report.mrr.listed),
            ("not seen in training", words.unseen, report.precision.unseen, report.mrr.unseen),
        )
    ]
    rows += [
        (f"rank {b.label}", f"{b.covered:,}", *(number(b.precision[k]) for k in ks), "")
        for b in report.bins
        if b.covered
    ]
    table(("", "words", *(f"P@{k}" for k in ks), "MRR"), rows, numbers=len(ks) + 2, header=True)


def _print_test(test: PairedTest | None, other: Path) -> None:
    if test is None:
        click.echo(f"\nno word is covered by both this model and {other}")
        return
    click.echo(
        f"\nP@1 less that of {other}: {test.difference:+.3f}, 95% {test.low:+.3f} to "
        f"{test.high:+.3f}, p = {test.p_value:.3f}, {test.words:,} words (paired bootstrap)"
    )
