"""Telling formats apart by what is in the file, whatever it is called."""

import difflib
import re
from pathlib import Path

from isogloss.errors import FormatError
from isogloss.vectors.layout import header, text_layout
from isogloss.vectors.source import read_head

FASTTEXT_MAGIC = (793712314).to_bytes(4, "little")
STORE_FILE = "store.json"
_HTML = re.compile(rb"\s*<(!doctype\s|html[\s>]|\?xml\s)", re.I)
_STRANGERS = (
    (b"PK\x03\x04", "a zip archive", "unpack it first"),
    (b"\x80\x02", "a Python pickle", "it is never opened; save it as word2vec with gensim"),
    (b"\x80\x03", "a Python pickle", "it is never opened; save it as word2vec with gensim"),
    (b"\x80\x04", "a Python pickle", "it is never opened; save it as word2vec with gensim"),
    (b"\x80\x05", "a Python pickle", "it is never opened; save it as word2vec with gensim"),
    (b"\xff\xfe", "text in UTF-16", "save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16", "save it as UTF-8"),
    (b"version https://git-lfs", "a Git LFS pointer", "fetch the file itself with git lfs pull"),
)


def detect(path: Path) -> str:
    """The name of a file's format.

    Parameters
    ----------
    path : Path
        A file, compressed or not, or a store's folder.

    Returns
    -------
    str
        "store", "npy", "safetensors", "fasttext", "word2vec-binary" or "text".

    Raises
    ------
    FormatError
        Where there is no such file, or it is none of these.
    """
    if path.is_dir():
        if (path / STORE_FILE).is_file():
            return "store"
        raise FormatError(
            f"{path}: got a folder without a {STORE_FILE}, expected a store or a file of word "
            "vectors; name the file in it"
        )
    if not path.exists():
        raise FormatError(_missing(path))
    head = read_head(path)
    if not head:
        raise FormatError(
            f"{path}: got an empty file, expected word vectors; copy or download it again"
        )
    return _by_content(path, head)


def _by_content(path: Path, head: bytes) -> str:
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if head.startswith(FASTTEXT_MAGIC):
        return "fasttext"
    if head[8:9] == b"{" and b"\x00" in head[:8]:
        return "safetensors"
    for magic, what, advice in _STRANGERS:
        if head.startswith(magic):
            raise FormatError(f"{path}: got {what}, expected word vectors; {advice}")
    if head[257:262] == b"ustar":
        raise FormatError(f"{path}: got a tar archive, expected word vectors; unpack it first")
    layout = text_layout(head)
    if layout is not None and layout.lie is None:
        return "text"
    found = header(head)
    if found is not None and _binary_rows(head[found[2] :], found[1]):
        return "word2vec-binary"
    if layout is not None:
        return "text"
    if _HTML.match(head):
        raise FormatError(
            f"{path}:1: got a web page, expected word vectors; "
            "the download went wrong, open the address in a browser to see why"
        )
    if found is not None:
        return "text"
    raise FormatError(
        f"{path}: got {head[:24]!r} at the start, expected word vectors (word2vec, GloVe, "
        "fastText, .npy, .safetensors); check that this is the right file"
    )


def _binary_rows(rows: bytes, d: int) -> bool:
    """Whether what follows a header are words with d floats, rather than lines of text."""
    space = rows.find(b" ")
    if space < 1 or not d or b"\n" in rows[:space].lstrip(b"\n"):
        return False
    floats = rows[space + 1 : space + 1 + 4 * d]
    # Floats have bytes that no text has; damaged text does not.
    return any(byte < 9 or 13 < byte < 32 or byte > 126 for byte in floats)


def _missing(path: Path) -> str:
    """The message about a wrong path, with the names that are close to it."""
    here = path.parent
    names = [p.name for p in here.iterdir()] if here.is_dir() else []
    close = difflib.get_close_matches(path.name, names, n=3, cutoff=0.6)
    if close:
        return f"{path}: got no such file; did you mean {' or '.join(close)}?"
    where = "" if here.is_dir() else f", nor a folder {here}"
    return f"{path}: got no such file{where}; check the path"
