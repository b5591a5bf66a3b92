import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from isogloss.errors import FormatError
from isogloss.vectors import open_tensors, read_metadata, write_tensors
from isogloss.vectors import safetensors_map as module

TYPES = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]
arrays = st.sampled_from(TYPES).flatmap(
    lambda t: hnp.arrays(np.dtype(t), hnp.array_shapes(min_dims=0, max_dims=3, min_side=0))
)
tensor_dicts = st.dictionaries(st.text("abcé", min_size=1, max_size=3), arrays, max_size=4)


def same(a, b):
    return set(a) == set(b) and all(
        a[k].dtype == b[k].dtype and a[k].shape == b[k].shape and a[k].tobytes() == b[k].tobytes()
        for k in a
    )


@given(tensor_dicts)
def test_what_is_written_is_opened_by_us_and_by_the_library(tmp_path_factory, tensors):
    path = tmp_path_factory.mktemp("st") / "x.safetensors"
    checksum = write_tensors(path, tensors, {"a": "é"})
    assert same(open_tensors(path), tensors)
    assert same(load_file(path), tensors)
    assert read_metadata(path) == {"a": "é"}
    with safe_open(path, "np") as file:
        assert file.metadata() == {"a": "é"}
    assert checksum == module.hashlib.sha256(path.read_bytes()).hexdigest().join(["sha256:", ""])


@given(tensor_dicts)
def test_what_the_library_writes_is_opened(tmp_path_factory, tensors):
    path = tmp_path_factory.mktemp("st") / "x.safetensors"
    save_file(tensors, path)
    assert same(open_tensors(path), tensors)
    assert read_metadata(path) == {}


def test_mapped_read_only_and_aligned(tmp_path):
    path = tmp_path / "x"
    write_tensors(path, {"odd": np.zeros(3, np.uint8), "wide": np.arange(5)})
    tensors = open_tensors(path)
    assert tensors["wide"].flags.aligned
    with pytest.raises(ValueError, match="read-only"):
        tensors["wide"][0] = 1


def test_strided_and_big_endian_arrays_and_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_BLOCK", 50)
    V = np.arange(200, dtype=">f4").reshape(20, 10)
    told = []
    write_tensors(
        tmp_path / "x", {"v": V[::2, ::-1], "s": np.float32(3)}, progress=lambda *p: told.append(p)
    )
    opened = open_tensors(tmp_path / "x")
    assert np.array_equal(opened["v"], V[::2, ::-1])
    assert opened["s"] == 3
    assert told[-1] == (404, 404)


def test_unknown_types_are_refused(tmp_path):
    with pytest.raises(FormatError, match="'z' of type complex128"):
        write_tensors(tmp_path / "x", {"z": np.zeros(1, complex)})
    assert not list(tmp_path.iterdir())


def raw(header, data=b"\0" * 8):
    text = json.dumps(header).encode() if not isinstance(header, bytes) else header
    return len(text).to_bytes(8, "little") + text + data


def tensor(dtype="F32", shape=(2,), offsets=(0, 8)):
    return {"v": {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}}


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "0 bytes"),
        (b"\1\0", "2 bytes"),
        (raw(tensor())[:20], "expected a whole safetensors file"),
        ((10**15).to_bytes(8, "little") + b"{}", "a header of 1,000,000,000,000,000"),
        (raw(b"{]"), "a header that is not safetensors'"),
        (raw(b"\xff{"), "a header that is not safetensors'"),
        (raw({"v": 3}), "a header that is not safetensors'"),
        (raw(tensor("BF16", (4,))), "'v' of type BF16"),
        (raw(tensor(shape=(3,))), "got 8 bytes for the tensor 'v' of shape [3], expected 12"),
        (raw(tensor(shape=(-1, -2))), "the file is damaged"),
        (raw(tensor(offsets=(-8, 0))), "the file is damaged"),
        (raw(tensor(offsets=(8, 16))), "got 8 bytes of tensors, expected 16"),
        (raw(tensor(), b"\0" * 7), "got 7 bytes of tensors, expected 8"),
    ],
)
def test_damaged_files(save, content, part):
    path = save("x.safetensors", content)
    with pytest.raises(FormatError, match=re.escape(part)) as caught:
        open_tensors(path)
    assert str(caught.value).startswith(str(path))


def test_an_interrupted_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "x"
    write_tensors(path, {"v": np.ones(2)})
    before = path.read_bytes()

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_tensors(path, {"v": np.zeros(2)}, progress=stop)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
