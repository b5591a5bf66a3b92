#!/usr/bin/env python3
"""Every recipe on real vectors, both ways: the table of docs/results/words.md.

    python benchmarks/words.py [--data ../shared/data] [--pairs en-it en-fr] > docs/results/words.md

The data folder's own make_vec.py writes the vectors as word2vec text; each recipe then runs in a
process of its own, with warm vectors, so that its seconds and its peak memory are its own. The
seconds stand beside one bare matrix product of all targets with all sources in the same process.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

import isogloss as iso
from isogloss.engine import cores
from isogloss.evaluation import compare
from isogloss.recipes import RECIPES

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("ISOGLOSS_DATA", ROOT / "../shared/data"))
PAIRS = {
    "en-it": ("en-it.en.vec", "en-it.it.vec", "en-it/dinu.train.txt", "en-it/dinu.test.txt"),
    "en-fr": ("en-fr.en.vec", "en-fr.fr.vec", "en-fr/muse.train.txt", "en-fr/muse.test.txt"),
}
# P@1 of an independent dense implementation, forward and reverse: the data folder's README.
REFERENCE = {
    "en-it": {
        "mikolov": (0.294, 0.286),
        "faruqui": (0.271, 0.230),
        "nn": (0.331, 0.287),
        "isf": (0.337, 0.321),
        "paper": (0.341, 0.321),
        "csls": (0.388, 0.354),
    },
    "en-fr": {
        "mikolov": (0.581, 0.460),
        "faruqui": (0.687, 0.445),
        "nn": (0.724, 0.463),
        "isf": (0.701, 0.478),
        "paper": (0.700, 0.478),
        "csls": (0.762, 0.512),
    },
}
ORDER = ("mikolov", "faruqui", "nn", "isf", "paper", "csls", "best")


def one(pair: str, recipe: str, data: Path, vectors: Path) -> dict[str, Any]:
    """One recipe on one pair of languages."""
    names = PAIRS[pair]
    source, target = (iso.read(vectors / name) for name in names[:2])
    start = time.perf_counter()
    identical = recipe.startswith("identical ")
    pairs = iso.identical_strings(source, target) if identical else data / names[2]
    model = iso.Translator(recipe.removeprefix("identical ")).fit(source, target, pairs)
    fitted = time.perf_counter()
    scored = [model.score(data / names[3], reverse=reverse) for reverse in (False, True)]
    evaluated = time.perf_counter()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    info = model.info
    return {
        "fit": fitted - start,
        "evaluate": (evaluated - fitted) / 2,
        "sgemm": bare_product(len(target), len(source), source.vector_size),
        "memory": memory,
        "components": info.n_components,
        "learnt": [(w.beta, w.strength) for w in (info.forward, info.backward)],
        "reports": [msgspec.to_builtins(s.report) for s in scored],
        "ranks": [s.ranks.tolist() for s in scored],
    }


def bare_product(n: int, m: int, d: int) -> float:
    """Seconds of the product of all targets with all sources, block by block, on all cores."""
    rng = np.random.default_rng(0)
    Y, X = (rng.standard_normal((k, d), dtype=np.float32) for k in (n, m))
    out = np.empty((2048, m), np.float32)
    start = time.perf_counter()
    for a in range(0, n, 2048):
        block = Y[a : a + 2048]
        np.matmul(block, X.T, out=out[: len(block)])
    return time.perf_counter() - start


def run(pair: str, recipe: str, data: Path, vectors: Path) -> dict[str, Any]:
    command = [sys.executable, __file__, "--one", pair, recipe, str(vectors), "--data", str(data)]
    print(f"{pair} {recipe} …", file=sys.stderr, flush=True)
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def table(pair: str, data: Path, vectors: Path) -> None:
    names = {"en-it": ("EN→IT", "IT→EN"), "en-fr": ("EN→FR", "FR→EN")}[pair]
    results = {recipe: run(pair, recipe, data, vectors) for recipe in ORDER}
    for recipe in ("identical mikolov", "identical nn", "identical csls", "identical best"):
        results[recipe] = run(pair, recipe, data, vectors)
    for way, name in enumerate(names):
        words = results["best"]["reports"][way]["words"]
        listed = PAIRS[pair][3].split("/")[-1]
        print(f"\n## {name}: {words['covered']:,} of {words['listed']:,} words of {listed}\n")
        print(
            "| recipe | P@1 | P@5 | P@10 | MRR | 95% of P@1 | reference P@1 | P@1 of all listed "
            f"| P@1 of the {words['unseen']:,} unseen | less `csls` (95%, p) | β, λ, dimensions |"
        )
        print("|---|" + "---|" * 10)
        for recipe, result in results.items():
            report = result["reports"][way]
            covered, (low, high) = report["precision"]["covered"], report["interval"]
            reference = REFERENCE[pair].get(recipe)
            test = compare(np.array(result["ranks"][way]), np.array(results["csls"]["ranks"][way]))
            versus = (
                ""
                if test is None or recipe == "csls"
                else f"{test.difference:+.3f} ({test.low:+.3f} to {test.high:+.3f}, "
                f"p = {test.p_value:.3f})"
            )
            beta, strength = result["learnt"][way]
            print(
                f"| {recipe} | {covered['1']:.3f} | {covered['5']:.3f} | {covered['10']:.3f} "
                f"| {report['mrr']['covered']:.3f} | {low:.3f}–{high:.3f} "
                f"| {reference[way] if reference else ''} "
                f"| {report['precision']['listed']['1']:.3f} "
                f"| {report['precision']['unseen']['1']:.3f} | {versus} "
                f"| {beta:.1f}, {strength:.2f}, {result['components']} |"
            )
    print(f"\n## Seconds and memory, {names[0]} and back\n")
    print("| recipe | fit, s | evaluate one way, s | bare product, s | fit / product | peak MB |")
    print("|---|---|---|---|---|---|")
    for recipe, r in results.items():
        print(
            f"| {recipe} | {r['fit']:.1f} | {r['evaluate']:.1f} | {r['sgemm']:.1f} "
            f"| {r['fit'] / r['sgemm']:.2f} | {r['memory']:,.0f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--pairs", nargs="+", default=list(PAIRS), choices=list(PAIRS))
    parser.add_argument("--one", nargs=3, metavar=("PAIR", "RECIPE", "VECTORS"))
    args = parser.parse_args()
    if args.one:
        pair, recipe, vectors = args.one
        print(json.dumps(one(pair, recipe, args.data, Path(vectors))))
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ISOGLOSS_HOME"] = f"{folder}/cache"
        wanted = [f"{pair}/{side}" for pair in args.pairs for side in pair.split("-")]
        subprocess.run(
            [sys.executable, args.data / "make_vec.py", folder, *wanted],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        for pair in args.pairs:
            for name in PAIRS[pair][:2]:
                iso.read(Path(folder) / name)
        print("# Words\n")
        print(
            "Written by `python benchmarks/words.py`, on the vectors, dictionaries and word lists "
            "of the shared data folder. These are smaller than the paper's: vocabularies of 58k "
            "and 85k words instead of 200k, so that figures can be held against each other but "
            "not against the paper's. The candidates are the whole target vocabulary. Precision "
            "is over the listed words that both vocabularies cover, unless a column says "
            "otherwise; any listed translation counts. “Unseen” leaves out the words that the "
            "training dictionary has as sources. “Reference” is an independent dense "
            "implementation; sampled recipes (`isf`, `paper`) move by a point with the sample. "
            "The last but one column is a paired bootstrap over the same words. Rows “identical” "
            "learn from the strings that both languages have instead of the dictionary.\n\n"
            f"{cores()} cores, NumPy {np.__version__}, isogloss {iso.__version__}, "
            f"recipes: {', '.join(f'`{name}`' for name in RECIPES)}."
        )
        for pair in args.pairs:
            table(pair, args.data, Path(folder))


if __name__ == "__main__":
    main()
