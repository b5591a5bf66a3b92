import gzip

import numpy as np
import pytest
from safetensors.numpy import save_file

from isogloss.errors import FormatError
from isogloss.vectors import read

V = np.random.default_rng(1).normal(size=(4, 3)).astype(np.float16)
WORDS = ["a", "b c", "d\u2028e", "\u0085"]


@pytest.fixture(params=["npy", "safetensors"])
def put(request, tmp_path):
    def write(V=V, words=WORDS, ending=".words.txt", text=None):
        path = tmp_path / f"v.{request.param}"
        if request.param == "npy":
            np.save(path, V)
        else:
            save_file({"vectors": np.asarray(V)}, path)
        if words is not None:
            text = "".join(word + "\n" for word in words) if text is None else text
            (tmp_path / f"v{ending}").write_bytes(text.encode())
        return path

    return write


def mapped(array):
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap):
            return True
        array = array.base
    return type(array).__name__ == "mmap"


@pytest.mark.parametrize("ending", [".words.txt", ".txt", ".vocab"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_words_beside(put, ending, dtype):
    vectors = read(put(V.astype(dtype), ending=ending))
    assert list(vectors.words) == WORDS
    assert np.array_equal(vectors.vectors, V)
    assert vectors.vectors.dtype == dtype
    assert mapped(vectors.vectors)
    assert vectors.report.checksum.startswith("sampled-sha256:")


def test_words_as_an_argument(put, save):
    path = put()
    vectors = read(path, words=save("other", "w\nx\ny\nz"))
    assert list(vectors.words) == list("wxyz")
    with pytest.raises(FormatError, match=r"none\.txt: got no such file.*check words="):
        read(path, words=path.with_name("none.txt"))


def test_words_with_windows_line_ends(put):
    assert list(read(put(text="a\r\nb\r\nc\r\nd\r\n")).words) == list("abcd")


def test_no_words(put):
    with pytest.raises(FormatError, match=r"no words, expected one of v\.words\.txt, v\.txt"):
        read(put(words=None))


def test_count_mismatch_names_both(put):
    with pytest.raises(FormatError, match=r"v\.words\.txt: got 3 words for 4 rows"):
        read(put(words=WORDS[:3]))


def test_limit_and_dtype(put):
    vectors = read(put(), limit=2, dtype="float32")
    assert list(vectors.words) == WORDS[:2]
    assert vectors.vectors.dtype == np.float32
    assert np.array_equal(vectors.vectors, V[:2])


def test_doubles_become_floats(put):
    vectors = read(put(V.astype(np.float64)))
    assert vectors.vectors.dtype == np.float32
    assert np.array_equal(vectors.vectors, V)


def test_nan_is_named(put):
    W = V.copy()
    W[2, 1] = np.nan
    with pytest.raises(FormatError, match=r"got nan in row 2 .*expected finite"):
        read(put(W))
    with pytest.raises(FormatError, match="got inf in row 0"):
        read(put(np.full((4, 3), 1e30, np.float32)), dtype="float16")


def test_duplicates_and_zero_rows(put):
    W = V.copy()
    W[3] = 0
    vectors = read(put(W, words=["a", "b", "a", "c"]))
    assert list(vectors.words) == ["a", "b", "c"]
    assert np.array_equal(vectors.vectors, W[[0, 1, 3]])
    assert (vectors.report.duplicates, vectors.report.zero_rows) == (1, 1)


@pytest.mark.parametrize("array", [V[0], V[None], np.zeros((4, 0), np.float32)])
def test_wrong_shapes(put, array):
    with pytest.raises(FormatError, match="expected"):
        read(put(array))


def test_whole_numbers_are_refused(put):
    with pytest.raises(FormatError, match="expected"):
        read(put(np.ones((4, 3), np.int32)))


def test_cut_off(put):
    path = put()
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(FormatError, match="expected"):
        read(path)


def test_compressed_is_refused(put):
    path = put()
    path.write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(FormatError, match="decompress it"):
        read(path)


def test_big_endian_and_fortran_order(tmp_path, save):
    save("f.txt", "a\nb\nc\nd\n")
    for W in (V.astype(">f4"), np.asfortranarray(V.astype(np.float32))):
        np.save(tmp_path / "f.npy", W)
        vectors = read(tmp_path / "f.npy")
        assert np.array_equal(vectors.vectors, V)
        assert vectors.vectors.flags.c_contiguous


def test_pickled_arrays_are_never_opened(tmp_path):
    np.save(tmp_path / "o.npy", np.array([[print]], dtype=object), allow_pickle=True)
    with pytest.raises(FormatError, match="cannot map"):
        read(tmp_path / "o.npy")


def test_which_tensor(tmp_path, save):
    save("t.txt", "a\nb\nc\nd\n")
    path = tmp_path / "t.safetensors"
    W = V.astype(np.float32)
    save_file({"emb": W, "bias": W[0], "ids": np.ones((4, 3), np.int64)}, path)
    assert np.array_equal(read(path).vectors, W)
    save_file({"emb": W, "vectors": W + 1}, path)
    assert np.array_equal(read(path).vectors, W + 1)
    save_file({"x": W, "y": W}, path)
    with pytest.raises(FormatError, match="got the tensors 'x', 'y'"):
        read(path)


def test_real_vectors(data):
    vectors = read(data / "en-it" / "en.npy")
    assert vectors.vectors.shape == (57_811, 300)
    assert vectors.vectors.dtype == np.float16
    assert mapped(vectors.vectors)
    assert vectors.words[0] == "the"
    assert vectors.report.messages == ()
    assert np.array_equal(vectors["cat"], vectors.vectors[vectors.words.index("cat")])
