import json
import time

import numpy as np
import pytest

from isogloss.errors import FormatError, IsoglossError
from isogloss.vectors import FastTextSubwords, Vectors, Words, open_store, read, write_store
from isogloss.vectors import store as module
from isogloss.vectors.report import ReadReport

WORDS = ["a", "b\nc", "", "é", "caf\udce9"]
V = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)


def make(dtype=np.float32, **more):
    report = ReadReport(path="x.vec", format="text", rows=5, messages=("one",), checksum="sha256:0")
    return Vectors(Words.of(WORDS), V.astype(dtype), report, **more)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_what_is_written_is_opened(tmp_path, dtype):
    vectors = make(dtype)
    write_store(tmp_path / "deep" / "s", vectors)
    opened = open_store(str(tmp_path / "deep" / "s"))
    assert opened.words == vectors.words
    assert opened.vectors.dtype == dtype
    assert opened.vectors.tobytes() == vectors.vectors.tobytes()
    assert opened.report == vectors.report
    assert opened.words.indices(WORDS).tolist() == [0, 1, 2, 3, 4]
    assert opened.subwords is None
    info = json.loads((tmp_path / "deep" / "s" / "store.json").read_text(encoding="utf-8"))
    assert (info["schema"], info["n"], info["d"]) == (1, 5, 3)
    assert {p.name for p in (tmp_path / "deep").iterdir()} == {"s"}


def test_subwords_are_kept(tmp_path):
    subwords = FastTextSubwords(np.arange(12, dtype=np.float32).reshape(4, 3), 2, 4)
    write_store(tmp_path / "s", make(subwords=subwords))
    opened = open_store(tmp_path / "s")
    assert opened.row("unknown").tolist() == subwords.row(b"unknown").tolist()


def test_read_opens_a_store(tmp_path):
    write_store(tmp_path / "s", make())
    vectors = read(tmp_path / "s", limit=2, dtype="float16")
    assert list(vectors.words) == WORDS[:2]
    assert np.array_equal(vectors.vectors, V[:2].astype(np.float16))
    assert np.shares_memory(read(tmp_path / "s", limit=2).vectors, V) is False
    with pytest.raises(FormatError, match="float16"):
        read_big(tmp_path)


def read_big(tmp_path):
    big = Vectors(Words.of(["a"]), np.full((1, 2), 1e9, np.float32))
    write_store(tmp_path / "big", big)
    return read(tmp_path / "big", dtype="float16")


def test_a_store_is_replaced_even_by_itself(tmp_path):
    write_store(tmp_path / "s", make())
    opened = open_store(tmp_path / "s")
    write_store(tmp_path / "s", opened)
    assert open_store(tmp_path / "s").vectors.tobytes() == V.tobytes()
    assert [p.name for p in tmp_path.iterdir()] == ["s"]


def test_other_folders_and_files_are_never_replaced(tmp_path, save):
    (tmp_path / "photos").mkdir()
    save("photos/one.jpg", "x")
    for name in ("photos", "photos/one.jpg"):
        with pytest.raises(IsoglossError, match="did not make"):
            write_store(tmp_path / name, make())
    assert (tmp_path / "photos" / "one.jpg").read_text(encoding="utf-8") == "x"
    (tmp_path / "empty").mkdir()
    write_store(tmp_path / "empty", make())
    assert len(open_store(tmp_path / "empty")) == 5


def test_an_interrupted_write_leaves_the_old_store(tmp_path):
    write_store(tmp_path / "s", make())

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_store(tmp_path / "s", make(np.float16), progress=stop)
    assert open_store(tmp_path / "s").vectors.dtype == np.float32
    assert [p.name for p in tmp_path.iterdir()] == ["s"]


def edit(folder, **changes):
    path = folder / "store.json"
    info = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(info | changes), encoding="utf-8")


@pytest.mark.parametrize(
    ("damage", "part"),
    [
        (lambda s: edit(s, schema=99, report="new"), r"version 99, expected 1 at most.*newer"),
        (lambda s: edit(s, format="other"), "expected 'isogloss-vectors'"),
        (lambda s: edit(s, n=7), "the store is damaged"),
        (lambda s: edit(s, dtype="float16"), "the store is damaged"),
        (lambda s: (s / "store.json").write_text("{", encoding="utf-8"), "make it again"),
        (lambda s: (s / "store.json").unlink(), r"no store\.json"),
        (lambda s: (s / "words.safetensors").unlink(), r"words\.safetensors: got no such file"),
        (lambda s: module.write_tensors(s / "words.safetensors", {"x": V}), "no tensor 'blob'"),
        (
            lambda s: (s / "vectors.safetensors").write_bytes(
                (s / "vectors.safetensors").read_bytes()[:-1]
            ),
            "the file is cut off",
        ),
    ],
)
def test_damaged_stores(tmp_path, damage, part):
    write_store(tmp_path / "s", make())
    damage(tmp_path / "s")
    with pytest.raises(FormatError, match=part):
        open_store(tmp_path / "s")


def test_real_vectors_open_in_milliseconds(data, tmp_path):
    vectors = read(data / "en-it" / "it.npy")
    write_store(tmp_path / "it", vectors)
    took = []
    for _ in range(5):
        start = time.perf_counter()
        opened = open_store(tmp_path / "it")
        assert "gatto" in opened
        took.append(time.perf_counter() - start)
    assert min(took) < 0.05
    assert opened.words == vectors.words
    assert np.array_equal(opened.vectors, vectors.vectors)
