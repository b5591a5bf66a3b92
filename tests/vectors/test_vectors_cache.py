import logging
import os
from pathlib import Path

import numpy as np
import pytest

from isogloss.errors import FormatError, IsoglossError
from isogloss.vectors import Cache, Vectors, Words, read, write
from isogloss.vectors import cache as module
from isogloss.vectors import text as text_module


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "cache", 10**9)


@pytest.fixture
def path(save):
    return save("v.vec", "3 2\na 1 2\nb 3 4\na 5 6\n")


@pytest.fixture
def parsed(monkeypatch):
    """Counts how often text is parsed."""
    count = []
    real = text_module.gather
    monkeypatch.setattr(text_module, "gather", lambda *a: count.append(1) or real(*a))
    return count


def test_the_second_read_parses_nothing(cache, path, parsed):
    cold, warm = (read(path, cache=cache) for _ in range(2))
    assert len(parsed) == 1
    assert cold.words == warm.words
    assert np.array_equal(cold.vectors, warm.vectors)
    assert cold.report == warm.report
    assert warm.report.duplicates == 1
    plain = read(path, cache=False)
    assert len(parsed) == 2
    assert np.array_equal(plain.vectors, warm.vectors)


def test_warnings_are_repeated_from_the_copy(cache, path, caplog):
    read(path, cache=cache)
    caplog.clear()
    with caplog.at_level(logging.WARNING, "isogloss"):
        read(path, cache=cache)
    assert "the first of 'a'" in caplog.text


def test_each_way_of_reading_has_its_copy(cache, path, parsed):
    for _ in range(2):
        read(path, cache=cache)
        read(path, cache=cache, dtype="float32")
        assert len(read(path, cache=cache, limit=1)) == 1
        assert read(path, cache=cache, dtype="float16").vectors.dtype == np.float16
        read(path, cache=cache, on_error="skip")
    assert len(parsed) == len(cache.entries()) == 4


def test_a_changed_file_is_read_again(cache, path):
    read(path, cache=cache)
    stat = path.stat()
    path.write_bytes(path.read_bytes().replace(b"b 3", b"b 9"))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert read(path, cache=cache)["b"][0] == 9


def test_errors_leave_no_copy(cache, save):
    with pytest.raises(FormatError):
        read(save("w.vec", "a 1\nb\nc 1\n"), cache=cache)
    assert cache.entries() == []


@pytest.mark.parametrize("name", ["store.json", "vectors.safetensors", "words.safetensors"])
@pytest.mark.parametrize("damage", [b"", b"{", None])
def test_a_damaged_copy_is_thrown_away(cache, path, parsed, caplog, name, damage):
    read(path, cache=cache)
    file = cache.folder / cache.entries()[0].key / name
    if damage is None:
        file.unlink()
    else:
        file.write_bytes(damage)
    assert np.array_equal(read(path, cache=cache)["b"], [3, 4])
    assert len(parsed) == 2
    assert "damaged copy is thrown away" in caplog.text
    assert cache.verify() == []


def test_a_folder_that_cannot_be_written(tmp_path, path, save, caplog):
    blocked = Cache(save("file", "x") / "cache", 10**9)
    assert len(read(path, cache=blocked)) == 2
    assert "no copy is kept" in caplog.text


def test_a_full_disk(cache, path, monkeypatch, caplog):
    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "fill_store", full)
    assert len(read(path, cache=cache)) == 2
    assert "No space left" in caplog.text
    assert list(cache.folder.iterdir()) == []


def test_two_writers_at_once(cache, path):
    vectors = read(path, cache=False)
    key = "0" * 32
    real = module.fill_store

    def slow(folder, vectors, **kwargs):
        real(folder, vectors, **kwargs)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "fill_store", real)
            cache.put(key, vectors)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "fill_store", slow)
        second = cache.put(key, vectors)
    assert np.array_equal(second.vectors, vectors.vectors)
    assert [p.name for p in cache.folder.iterdir()] == [key]


def fill(cache, save, names):
    for i, name in enumerate(names):
        read(save(name, f"a {i}\nb {i}\n"), cache=cache)
        entry = next(e for e in cache.entries() if e.source.endswith(name))
        os.utime(cache.folder / entry.key / "used", (i, i))


def sources(cache):
    return [Path(entry.source).name for entry in cache.entries()]


def test_the_least_recently_used_goes(cache, save):
    fill(cache, save, ["1", "2", "3"])
    assert sources(cache) == ["3", "2", "1"]
    size = cache.entries()[0].bytes
    small = Cache(cache.folder, int(size * 2.5))
    gone = small.trim()
    assert [Path(e.source).name for e in gone] == ["1"]
    assert sources(cache) == ["3", "2"]


def test_use_counts(cache, tmp_path, save):
    fill(cache, save, ["1", "2"])
    read(tmp_path / "1", cache=cache)
    assert sources(cache) == ["1", "2"]


def test_the_one_just_written_stays(tmp_path, save):
    tiny = Cache(tmp_path / "cache", 1)
    for name in ("1", "2"):
        read(save(name, "a 1\nb 2\n"), cache=tiny)
        assert sources(tiny) == [name]


def test_clear(cache, save):
    fill(cache, save, ["1", "2"])
    (cache.folder / ".x.tmp-0").mkdir()
    (cache.folder / "notes.txt").write_text("mine", encoding="utf-8")
    total = sum(entry.bytes for entry in cache.entries())
    assert cache.clear() == total > 0
    assert [p.name for p in cache.folder.iterdir()] == ["notes.txt"]
    assert Cache(cache.folder / "none", 1).clear() == 0


def test_what_stopped_writers_left_is_swept_when_old(cache, path):
    read(path, cache=cache)
    for name, age in ((".a.tmp-0", 1), (".b.tmp-0", 10**6)):
        folder = cache.folder / name
        folder.mkdir()
        os.utime(folder, (folder.stat().st_mtime - age,) * 2)
    cache.trim()
    assert sorted(p.name for p in cache.folder.glob(".*")) == [".a.tmp-0"]


@pytest.mark.parametrize("limit", [None, 2])
def test_verify(cache, path, limit, monkeypatch):
    monkeypatch.chdir(path.parent)
    read(path.name, cache=cache, limit=limit)
    assert cache.verify() == []
    file = cache.folder / cache.entries()[0].key / "vectors.safetensors"
    raw = bytearray(file.read_bytes())
    raw[-1] ^= 1
    file.write_bytes(raw)
    path.write_bytes(path.read_bytes() + b" ")
    first, second = cache.verify()
    assert "vectors.safetensors: its bytes have changed" in first
    assert "v.vec: the file has changed" in second
    path.unlink()
    file.unlink()
    (problem,) = cache.verify()
    assert "vectors.safetensors" in problem


def test_mapped_formats_are_not_copied(cache, tmp_path):
    vectors = Vectors(Words.of(["a"]), np.ones((1, 2), np.float32))
    write(tmp_path / "v.safetensors", vectors)
    read(tmp_path / "v.safetensors", cache=cache)
    assert cache.entries() == []


def test_the_default_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("ISOGLOSS_HOME", str(tmp_path))
    assert Cache().folder == tmp_path / "vectors"
    monkeypatch.delenv("ISOGLOSS_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for platform, folder in (
        ("linux", tmp_path / "xdg" / "isogloss" / "vectors"),
        ("darwin", tmp_path / "Library" / "Caches" / "isogloss" / "vectors"),
        ("win32", tmp_path / "local" / "isogloss" / "vectors"),
    ):
        monkeypatch.setattr(module.sys, "platform", platform)
        assert module.default_folder() == folder
    monkeypatch.setattr(module.sys, "platform", "linux")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert module.default_folder() == tmp_path / ".cache" / "isogloss" / "vectors"


@pytest.mark.parametrize(
    ("text", "size"), [("20GB", 20 * 10**9), ("500 mb", 5 * 10**8), ("1.5K", 1500), ("7", 7)]
)
def test_the_default_size(monkeypatch, text, size):
    assert Cache().max_bytes == 20 * 10**9
    monkeypatch.setenv("ISOGLOSS_CACHE_SIZE", text)
    assert Cache().max_bytes == size


def test_a_size_that_is_none(monkeypatch):
    monkeypatch.setenv("ISOGLOSS_CACHE_SIZE", "much")
    with pytest.raises(IsoglossError, match="ISOGLOSS_CACHE_SIZE='much'"):
        Cache()
