"""Make the vectors of the package's sample from a data folder, and check its dictionaries."""

import argparse
import os
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "src" / "isogloss" / "sample"
SIZE = 5000
LANGUAGES = ("en", "it")


def lines(path: Path) -> list[str]:
    """Return the lines of a UTF-8 file, split on line feeds only."""
    return path.read_bytes().decode("utf-8").removesuffix("\n").split("\n")


def quantize(rows: np.ndarray) -> dict[str, np.ndarray]:
    """Make the rows unit rows and store each as int8 with one float32 scale."""
    unit = rows.astype(np.float32)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    scale = np.abs(unit).max(axis=1) / np.float32(127)
    return {"vectors": np.rint(unit / scale[:, None]).astype(np.int8), "scale": scale}


def check(vocabularies: list[set[str]]) -> list[str]:
    """Return what is wrong with the sample's two dictionaries, one message a fault."""
    faults: list[str] = []
    sides: dict[str, list[set[str]]] = {}
    for part in ("train", "test"):
        path = SAMPLE / f"en-it.{part}.txt"
        pairs = [line.split("\t") for line in lines(path)]
        faults += [f"{path.name}: not a pair: {pair}" for pair in pairs if len(pair) != 2]
        columns = [{pair[i] for pair in pairs if len(pair) == 2} for i in range(2)]
        for language, words, known in zip(LANGUAGES, columns, vocabularies, strict=True):
            faults += [f"{path.name}: no {language} vector: {w}" for w in sorted(words - known)]
        sides[part] = columns
    for language, train, test in zip(LANGUAGES, sides["train"], sides["test"], strict=True):
        faults += [f"{language} word in train and test: {w}" for w in sorted(train & test)]
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("ISOGLOSS_DATA") or ROOT.parent / "shared" / "data"
    parser.add_argument("--data", type=Path, default=Path(default), help="the data folder")
    source: Path = parser.parse_args().data / "en-it"
    SAMPLE.mkdir(parents=True, exist_ok=True)
    vocabularies: list[set[str]] = []
    for language in LANGUAGES:
        words = lines(source / f"{language}.words.txt")[:SIZE]
        rows = np.load(source / f"{language}.npy", mmap_mode="r")[:SIZE]
        target = SAMPLE / f"{language}.safetensors"
        save_file(quantize(rows), target)
        target.chmod(0o644)  # save_file leaves it readable by its owner only
        text = "".join(f"{word}\n" for word in words)
        (SAMPLE / f"{language}.words.txt").write_bytes(text.encode("utf-8"))
        vocabularies.append(set(words))
    faults = check(vocabularies)
    if faults:
        print("\n".join(faults), file=sys.stderr)
        return 1
    total = sum(path.stat().st_size for path in SAMPLE.iterdir())
    print(f"{SAMPLE.relative_to(ROOT)}: {total:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
