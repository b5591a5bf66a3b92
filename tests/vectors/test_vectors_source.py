import bz2
import gzip
import hashlib
import lzma
import zlib

import pytest

from isogloss.errors import FormatError
from isogloss.vectors.source import (
    compression,
    full_checksum,
    open_source,
    read_exactly,
    read_head,
    sampled_checksum,
)

TEXT = b"".join(b"%d\n" % i for i in range(300_000))


@pytest.mark.parametrize(
    ("pack", "kind"),
    [(bytes, None), (gzip.compress, "gz"), (bz2.compress, "bz2"), (lzma.compress, "xz")],
)
def test_the_bytes_their_checksum_and_the_progress(save, pack, kind):
    path = save("x", pack(TEXT))
    told = []
    assert compression(path) == kind
    with open_source(path, lambda *p: told.append(p), hashed=True) as source:
        assert read_exactly(source, 7) == TEXT[:7]
        assert source.read(3) == TEXT[7:10]
        checksum = source.checksum()
    assert checksum == full_checksum(path)
    assert checksum == f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
    assert told[-1] == (path.stat().st_size,) * 2
    with open_source(path) as source:
        assert source.read() == TEXT
        assert source.checksum() == sampled_checksum(path)
    assert read_head(path, 20) == TEXT[:20]
    assert read_head(path, len(TEXT) + 9) == TEXT


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_cut_in_the_middle(save, pack):
    path = save("x", pack(TEXT)[:-50])
    with pytest.raises(FormatError, match="ends in the middle"), open_source(path) as source:
        list(iter(lambda: source.read(1 << 16), b""))


def test_damage_is_told_in_one_line(save):
    raw = bytearray(gzip.compress(TEXT))
    raw[-8:] = zlib.crc32(b"else").to_bytes(4, "little") * 2
    with (
        pytest.raises(FormatError, match="damaged compressed data"),
        open_source(save("x", bytes(raw))) as source,
    ):
        source.read()


def test_the_sampled_checksum_sees_the_size_and_three_places(save):
    raw = bytearray(5 << 20)
    before = sampled_checksum(save("x", bytes(raw)))
    assert before.startswith("sampled-sha256:")
    for at in (5, len(raw) // 2, len(raw) - 5):
        changed = raw[:]
        changed[at] = 1
        assert sampled_checksum(save("x", bytes(changed))) != before
    assert sampled_checksum(save("x", bytes(raw[:-1]))) != before
    assert sampled_checksum(save("x", bytes(raw))) == before
