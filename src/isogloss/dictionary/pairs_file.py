"""Dictionaries as text: a word and its translations on each line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from isogloss.errors import DictionaryError, FormatError, IsoglossError
from isogloss.vectors.detect import detect
from isogloss.vectors.source import open_source
from isogloss.vectors.words import decode

OnError = Literal["raise", "skip"]

_MIB = 1 << 20
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_PAGE = (b"<!doctype", b"<html", b"<?xml")


def read_pairs(path: Path, on_error: OnError = "raise") -> tuple[list[tuple[str, str]], int]:
    """The pairs of a file, in its order, and the number of malformed lines that were skipped."""
    if on_error not in ("raise", "skip"):
        raise IsoglossError(f"got on_error={on_error!r}, expected 'raise' or 'skip'")
    pairs: list[tuple[str, str]] = []
    skipped = 0
    for number, line in enumerate(_lines(path), 1):
        fields = split_line(line)
        if not any(fields):
            continue
        if fields[0] and any(fields[1:]):
            source = decode(fields[0])
            pairs += ((source, decode(field)) for field in fields[1:] if field)
        elif on_error == "raise":
            raise FormatError(f"{path}:{number}: {_malformed(fields)}")
        else:
            skipped += 1
    if not pairs:
        what = f"{skipped:,} malformed lines only" if skipped else "an empty file"
        raise DictionaryError(
            f"{path}: got {what}, expected a word and its translation on each line; "
            "check that this is the right file"
        )
    return pairs, skipped


def split_line(line: bytes) -> list[bytes]:
    """The fields of a line: between its tabs where it has one, else between its spaces.

    Only these two bytes separate; other white space, such as U+00A0 or U+3000, is in words.
    """
    if b"\t" in line:
        return [field.strip(b" ") for field in line.split(b"\t")]
    return [field for field in line.split(b" ") if field]


def _lines(path: Path) -> Iterator[bytes]:
    if not path.exists():
        detect(path)  # raises, with the names that are close
    if path.is_dir():
        raise FormatError(f"{path}: got a folder, expected a dictionary; name the file in it")
    with open_source(path) as source:
        text = b"".join(iter(lambda: source.read(_MIB), b""))
    if text.startswith(_UTF16):
        raise FormatError(f"{path}: got text in UTF-16, expected UTF-8; save it as UTF-8")
    text = text.removeprefix(_BOM)
    if text[:64].lstrip().lower().startswith(_PAGE):
        raise FormatError(
            f"{path}:1: got a web page, expected a dictionary; "
            "the download went wrong, open the address in a browser to see why"
        )
    return (line.rstrip(b"\r") for line in text.split(b"\n"))


def _malformed(fields: list[bytes]) -> str:
    shown = ", ".join(repr(decode(field)) for field in fields if field)
    what = f"only {shown}" if fields[0] else f"no source word before {shown}"
    return (
        f"got {what}, expected a word, a tab or space, and its translations; "
        'mend the line, or pass on_error="skip"'
    )
