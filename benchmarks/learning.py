#!/usr/bin/env python3
"""What the choices in learning β and λ are worth: the tables of docs/decisions.md.

    python benchmarks/learning.py [--data ../shared/data]

P@1 on the covered test words; nothing is looked up on them: each row learns β and λ anew, in its
own way, from the training dictionary. The hub numbers that rank are of all sources in every row
but those of the last table, which is about their number.
"""

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from words import DATA, PAIRS

import isogloss as iso
from isogloss.dictionary import WordPairs
from isogloss.translator import folds, way

Rows = list[tuple[str, str]]


def load(pair: str, data: Path) -> tuple[Any, Any, WordPairs, WordPairs]:
    """Vectors and dictionaries of one pair of languages."""
    names = PAIRS[pair]
    sides = (data / pair / side for side in pair.split("-"))
    source, target = (iso.read(side.with_suffix(".npy")) for side in sides)
    return source, target, *(WordPairs.read(data / name) for name in names[2:])


def row(name: str, loaded: Any, **overrides: Any) -> None:
    """One row: both directions with what was learnt."""
    source, target, train, test = loaded
    model = iso.Translator("best", **overrides).fit(source, target, train)
    cells = []
    for reverse, learnt in ((False, model.info.forward), (True, model.info.backward)):
        p = model.evaluate(test, reverse=reverse).precision.covered["1"]
        cells.append(f"{p:.3f} | {learnt.beta:.1f}, {learnt.strength:.2f}")
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def changed(change: Callable[[folds.Fold], folds.Fold]) -> Callable[..., list[folds.Fold]]:
    """make_folds with every fold changed."""
    return lambda *args, **options: [change(f) for f in folds.make_folds(*args, **options)]


def no_frequency(fold: folds.Fold) -> folds.Fold:
    """Without the number that takes up how frequent a dictionary's words are."""
    return replace(fold, frequency=np.zeros(len(fold.frequency)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--pairs", nargs="+", default=["en-fr", "en-it"], choices=list(PAIRS))
    args = parser.parse_args()
    for pair in args.pairs:
        loaded = load(pair, args.data)
        print(f"\n{pair}: learning\n\n| | forward P@1 | β, λ | backward P@1 | β, λ |")
        print("|---|---|---|---|---|")
        row("as shipped", loaded)
        for seed in (1, 2):
            row(f"another seed ({seed})", loaded, random_state=seed)
        way.make_folds = changed(no_frequency)
        row("no number for frequency", loaded)
        way.make_folds = folds.make_folds
        row("on the training pairs themselves", loaded, held_out=False)
        many = folds.MANY_WORDS
        folds.MANY_WORDS = 10**9
        row("five folds instead of two", loaded)
        folds.MANY_WORDS = many
        print(f"\n{pair}: sources of the hub number\n")
        print("| | forward P@1 | β, λ | backward P@1 | β, λ |\n|---|---|---|---|---|")
        for n in (1500, 5000, 10_000):
            row(f"{n:,} at random", loaded, n_samples=n, random=True)
            row(f"{n:,} most frequent", loaded, n_samples=n)


if __name__ == "__main__":
    main()
