import gzip
import lzma

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from isogloss.errors import FormatError, IsoglossError
from isogloss.vectors import Vectors, Words, read, write

VECTORS = Vectors(Words.of(["a", "b c", "é"]), np.arange(6, dtype=np.float32).reshape(3, 2) / 7)


def text(banned, ends=""):
    alphabet = st.characters(exclude_categories=["Cs"], exclude_characters=banned)
    return st.text(alphabet, min_size=1, max_size=6).filter(lambda w: w[-1] not in (ends or "\0"))


def vectors_of(words):
    finite = st.floats(width=32, allow_nan=False, allow_infinity=False)
    return st.tuples(
        st.lists(words, min_size=1, max_size=8, unique=True), st.integers(1, 5)
    ).flatmap(
        lambda p: hnp.arrays(np.float32, (len(p[0]), p[1]), elements=finite).map(
            lambda V: Vectors(Words.of(p[0]), V)
        )
    )


def same(a, b):
    return a.words == b.words and a.vectors.tobytes() == b.vectors.tobytes()


@given(vectors_of(text("\n", " \t")), st.sampled_from(["", ".gz"]))
def test_text_gives_every_bit_back(tmp_path_factory, vectors, suffix):
    path = tmp_path_factory.mktemp("w") / f"v.vec{suffix}"
    write(path, vectors)
    assert same(read(path, cache=False), vectors)


@given(vectors_of(text("\n ")))
def test_binary_gives_every_bit_back(tmp_path_factory, vectors):
    path = tmp_path_factory.mktemp("w") / "v.bin"
    write(path, vectors)
    assert same(read(path, cache=False, format="word2vec-binary"), vectors)


@given(vectors_of(text("\n", "\r")))
def test_safetensors_give_every_bit_back(tmp_path_factory, vectors):
    path = tmp_path_factory.mktemp("w") / "v.safetensors"
    write(path, vectors)
    assert same(read(path), vectors)


def test_float16(tmp_path):
    half = Vectors(VECTORS.words, VECTORS.vectors.astype(np.float16))
    write(tmp_path / "h.vec", half)
    assert same(read(tmp_path / "h.vec", dtype="float16"), half)
    write(tmp_path / "h.safetensors", half)
    assert same(read(tmp_path / "h.safetensors"), half)


@pytest.mark.parametrize("suffix", [".vec", ".txt", ".txt.gz", ".vec.bz2", ".vec.xz", ".bin.gz"])
def test_suffixes(tmp_path, suffix):
    vectors = (
        VECTORS
        if "bin" not in suffix
        else Vectors(Words.of("abc"[:3:1].split()), VECTORS.vectors[:1])
    )
    write(tmp_path / f"v{suffix}", vectors)
    vectors_back = read(tmp_path / f"v{suffix}", cache=False)
    assert same(vectors_back, vectors)
    assert vectors_back.report.format == ("word2vec-binary" if "bin" in suffix else "text")


def test_the_bytes_of_text_and_binary(tmp_path):
    vectors = Vectors(Words.of(["a", "b"]), np.array([[0.5, -1], [-0.0, 1e-10]], np.float32))
    write(tmp_path / "v.vec", vectors)
    assert (tmp_path / "v.vec").read_bytes() == b"2 2\na 0.5 -1\nb -0.0 1.00000001e-10\n"
    write(tmp_path / "v.vec.gz", vectors)
    assert gzip.decompress((tmp_path / "v.vec.gz").read_bytes()).startswith(b"2 2\na 0.5")
    write(tmp_path / "v.vec.xz", vectors)
    assert lzma.decompress((tmp_path / "v.vec.xz").read_bytes()).startswith(b"2 2\na 0.5")
    write(tmp_path / "odd.name", vectors, format="word2vec-binary")
    rows = [b"a " + vectors.vectors[0].tobytes(), b"b " + vectors.vectors[1].tobytes()]
    assert (tmp_path / "odd.name").read_bytes() == b"2 2\n" + b"".join(r + b"\n" for r in rows)


@pytest.mark.parametrize(
    ("name", "word", "why"),
    [
        ("v.vec", "a\nb", "a newline"),
        ("v.vec", "a ", "a space or a tab at its end"),
        ("v.vec", "a\t", "a space or a tab at its end"),
        ("v.vec", "", "nothing in it"),
        ("v.bin", "a b", "a space or a newline"),
        ("v.bin", "a\nb", "a space or a newline"),
        ("v.bin", "", "nothing in it"),
        ("v.safetensors", "a\nb", "a newline"),
        ("v.safetensors", "a\r", "a carriage return at its end"),
    ],
)
def test_words_that_a_format_cannot_hold(tmp_path, name, word, why):
    vectors = Vectors(Words.of(["x", word, "y"]), VECTORS.vectors)
    with pytest.raises(FormatError) as caught:
        write(tmp_path / name, vectors)
    assert f"got the word {word!r} with {why}" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_word_in_safetensors(tmp_path):
    vectors = Vectors(Words.of(["", "y", "z"]), VECTORS.vectors)
    write(tmp_path / "v.safetensors", vectors)
    assert same(read(tmp_path / "v.safetensors"), vectors)


def test_invalid_utf8_is_written_as_it_was(tmp_path, save):
    vectors = read(save("v.vec", b"caf\xe9 1\nb 2\n"), cache=False)
    write(tmp_path / "w.vec", vectors)
    assert b"\ncaf\xe9 1\n" in (tmp_path / "w.vec").read_bytes()


def test_an_interrupted_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "v.vec"
    path.write_text("old", encoding="utf-8")

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(path, VECTORS, progress=stop)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_progress_ends_at_all(tmp_path):
    for name in ("v.vec", "v.safetensors"):
        told = []
        write(tmp_path / name, VECTORS, progress=lambda *p, told=told: told.append(p))
        assert told[-1] == (24, 24)


def test_unknown_suffixes_and_formats(tmp_path):
    with pytest.raises(FormatError, match=r"ending '\.csv', expected one of \.vec"):
        write(tmp_path / "v.csv", VECTORS)
    with pytest.raises(IsoglossError, match="format='csv', expected one of word2vec"):
        write(tmp_path / "v.csv", VECTORS, format="csv")
    with pytest.raises(FormatError, match=r"drop \.gz"):
        write(tmp_path / "v.safetensors.gz", VECTORS)


def test_a_writer_of_ones_own(tmp_path):
    def lines(path, vectors, progress):
        path.write_text("\n".join(vectors.words), encoding="utf-8")

    write(tmp_path / "x", (["a"], np.ones((1, 2), np.float32)), format=lines)
    assert (tmp_path / "x").read_text(encoding="utf-8") == "a"
