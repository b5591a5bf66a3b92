import bz2
import gzip
import lzma
from pathlib import Path

import numpy as np
import pytest

import isogloss.vectors as front
from isogloss.errors import FormatError, IsoglossError
from isogloss.vectors import Vectors, Words, read, write, write_store

VECTORS = Vectors(Words.of(["a", "b", "é"]), np.arange(6, dtype=np.float32).reshape(3, 2) / 7)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("ending", [".vec", ".bin"])
def test_all_formats_packed_or_not_give_the_same(tmp_path, pack, ending):
    write(tmp_path / f"v{ending}", VECTORS)
    path = tmp_path / "anything"
    path.write_bytes(pack((tmp_path / f"v{ending}").read_bytes()))
    for _ in range(2):
        vectors = read(str(path))
        assert vectors.words == VECTORS.words
        assert np.array_equal(vectors.vectors, VECTORS.vectors)
        assert vectors.report.path == str(path)


def test_the_front_names_what_it_exports():
    assert set(front.__all__) <= set(dir(front))
    assert set(front.READERS) == {
        "text", "word2vec-binary", "fasttext", "npy", "safetensors", "store",
    }  # fmt: skip
    assert set(front.WRITERS) == {"word2vec", "word2vec-binary", "safetensors"}


def test_members_never_import_their_front():
    folder = Path(front.__file__).parent
    for file in folder.glob("*.py"):
        source = file.read_text(encoding="utf-8")
        assert "from isogloss.vectors import" not in source, file.name
        assert "import pickle" not in source, file.name


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"limit": 0}, "limit=0, expected 1 or more"),
        ({"dtype": "float64"}, "dtype='float64', expected 'float32' or 'float16'"),
        ({"on_error": "ignore"}, "on_error='ignore', expected 'raise' or 'skip'"),
        ({"format": "csv"}, "format='csv', expected one of text"),
    ],
)
def test_wrong_arguments(save, arguments, part):
    with pytest.raises(IsoglossError, match=part):
        read(save("v.vec", "a 1\n"), **arguments)


def test_a_reader_of_ones_own_and_a_format_by_name(save, tmp_path):
    path = save("v.vec", "1 2\n")
    assert read(path, format=lambda path, options: (path, options.limit), limit=3) == (path, 3)
    with pytest.raises(FormatError, match="no such file"):
        read(tmp_path / "none", format="text")
    with pytest.raises(FormatError, match="got an empty file"):
        read(save("empty", ""))


def test_a_web_page_saved_as_vectors(save):
    with pytest.raises(FormatError, match="a web page"):
        read(save("wiki.it.vec", "<!DOCTYPE html><html><body>404</body></html>"))


def test_a_store_is_told_by_its_folder(tmp_path):
    write_store(tmp_path / "s", VECTORS)
    assert read(tmp_path / "s").words == VECTORS.words
    with pytest.raises(FormatError, match="a folder without"):
        read(tmp_path)


def test_real_vectors_through_every_format(data, tmp_path):
    vectors = read(data / "en-fr" / "fr.npy", limit=3000, dtype="float32")
    bare = [w for w in vectors.words if " " not in w]
    assert bare == list(vectors.words)
    for name in ("v.vec", "v.bin", "v.safetensors", "v.vec.gz"):
        write(tmp_path / name, vectors)
        back = read(tmp_path / name)
        assert back.words == vectors.words, name
        assert back.vectors.tobytes() == vectors.vectors.tobytes(), name
