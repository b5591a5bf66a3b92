import bz2
import gzip
import io
import lzma
import tarfile

import numpy as np
import pytest

from isogloss.errors import FormatError
from isogloss.vectors.detect import detect

ROW = np.array([0.1, -2, 3], "<f4").tobytes()
PAGE = "<!DOCTYPE html>\n<html><head><title>404 1 2</title></head><body>Not found</body></html>\n"


def npy():
    out = io.BytesIO()
    np.save(out, np.zeros((2, 2)))
    return out.getvalue()


def tar():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo("a.vec")
        info.size = 4
        archive.addfile(info, io.BytesIO(b"a 1\n"))
    return out.getvalue()


@pytest.mark.parametrize("name", ["x.vec", "x.bin", "x", "x.npy"])
@pytest.mark.parametrize(
    ("content", "form"),
    [
        (b"2 3\na 1 2 3\nb 1 2 3\n", "text"),
        (b"a 1 2 3\nb 1 2 3\n", "text"),
        (b"<html> 1 2 3\n<s> 1 2 3\n", "text"),
        (b"2 3\n\xff\x01 1 2 3\nb 1 2 3\n", "text"),
        (b"2 3\na 1 x 3\nb 1 2\n", "text"),
        (b"5 3\n", "text"),
        (b"2 3\na " + ROW + b"\nb " + ROW + b"\n", "word2vec-binary"),
        (b"2 3\na " + ROW + b"b " + ROW, "word2vec-binary"),
        (b"1 1\na \xcd\xcc\x8c?", "word2vec-binary"),
        (b"\xba\x16\x4f\x2f\x0c\x00\x00\x00", "fasttext"),
        (npy(), "npy"),
        (b"\x10\x00\x00\x00\x00\x00\x00\x00{}              ", "safetensors"),
    ],
)
def test_the_content_decides_not_the_name(save, name, content, form):
    assert detect(save(name, content)) == form


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed(save, pack):
    assert detect(save("x.vec", pack(b"2 1\na 1\nb 2\n"))) == "text"
    assert detect(save("x.vec", pack(b"1 3\na " + ROW))) == "word2vec-binary"
    whole = pack(bytes(np.random.default_rng(0).integers(33, 90, 5000, dtype=np.uint8)))
    with pytest.raises(FormatError, match="ends in the middle"):
        detect(save("cut.vec", whole[: len(whole) // 2]))


def test_damaged_compression(save):
    whole = bytearray(gzip.compress(bytes(range(256)) * 50))
    whole[20:30] = b"\xff" * 10
    with pytest.raises(FormatError, match="damaged compressed data"):
        detect(save("x.vec.gz", bytes(whole)))


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "an empty file"),
        (gzip.compress(b""), "an empty file"),
        (PAGE, "a web page"),
        ("\n  <html>\n<body>hello", "a web page"),
        (b"PK\x03\x04....", "a zip archive"),
        (b"\x80\x04\x95abc", "a Python pickle"),
        ("2 3".encode("utf-16"), "UTF-16"),
        (tar(), "a tar archive"),
        (gzip.compress(tar()), "a tar archive"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
        (b"hello world\n", "b'hello world"),
        (bytes(range(100)), "expected word vectors"),
    ],
)
def test_what_are_no_vectors_gets_one_readable_line(save, content, what):
    path = save("wiki.en.vec", content)
    with pytest.raises(FormatError) as caught:
        detect(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert what in message
    assert "\n" not in message


def test_a_wrong_path_names_what_is_close(save, tmp_path):
    save("wiki.en.vec", "a 1\n")
    with pytest.raises(FormatError, match=r"no such file; did you mean wiki\.en\.vec\?"):
        detect(tmp_path / "wiki.em.vec")
    with pytest.raises(FormatError, match=r"no such file; check the path"):
        detect(tmp_path / "quite-another")
    with pytest.raises(FormatError, match=r"no such file, nor a folder"):
        detect(tmp_path / "nowhere" / "wiki.en.vec")
    with pytest.raises(FormatError, match=r"got a folder without a store\.json"):
        detect(tmp_path)
