"""`demo` and `sample`: something to run before one has files of one's own."""

import shutil
from importlib.resources import as_file, files
from pathlib import Path

import click

from isogloss.cli.fitting import show_info
from isogloss.cli.show import note, number, progress, table
from isogloss.sample import sample as load_sample
from isogloss.translator import Translator
from isogloss.vectors import write


@click.command(short_help="The whole of it on a small sample.")
def demo() -> None:
    """The whole of it on a small English-Italian sample that is always at hand."""
    en, it, train, test = load_sample()
    note(f"Fitting {len(en):,} English words to {len(it):,} Italian ones, {len(train):,} pairs …")
    with progress() as told:
        model = Translator().fit(en, it, train, progress=told)
    click.echo("\nWhat was learnt")
    show_info(model.info, False)
    for reverse, words in (
        (False, ["january", "freedom", "red", "mother", "wrote"]),
        (True, ["giovedì", "guerra", "bambini", "scrivere", "felice"]),
    ):
        click.echo(f"\n{'Italian → English' if reverse else 'English → Italian'}")
        table(
            ("", "translations with probabilities"),
            [
                (
                    answer.query,
                    "   ".join(f"{t.word} {number(t.probability, 2)}" for t in answer.translations),
                )
                for answer in model.translate(words, topn=4, reverse=reverse)
            ],
        )
    click.echo(f"\nOn {len(test):,} pairs held out")
    rows = []
    for reverse in (False, True):
        report = model.evaluate(test, reverse=reverse)
        rows.append(
            (
                "Italian → English" if reverse else "English → Italian",
                f"{report.words.covered} words",
                *(f"P@{k} {number(v)}" for k, v in report.precision.covered.items()),
                f"MRR {number(report.mrr.covered)}",
            )
        )
    table(("", "", "", "", "", ""), rows)


@click.command(short_help="Write the sample's files, to try the commands on.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def sample(folder: Path) -> None:
    """Write the sample's files to FOLDER, to try the other commands on."""
    folder.mkdir(parents=True, exist_ok=True)
    en, it, _, _ = load_sample()
    for name, vectors in (("en", en), ("it", it)):
        write(folder / f"{name}.vec", vectors)
        note(f"{folder / name}.vec: {len(vectors):,} × {vectors.vector_size}")
    with as_file(files("isogloss.sample")) as package:
        for part in ("train", "test"):
            shutil.copyfile(package / f"en-it.{part}.txt", folder / f"en-it.{part}.txt")
            note(f"{folder / f'en-it.{part}.txt'}")
