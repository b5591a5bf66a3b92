import logging

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import FormatError
from isogloss.vectors import read as read_cached
from isogloss.vectors import text


def read(path, **kwargs):
    return read_cached(path, cache=False, **kwargs)


STRANGE = ["a\u00a0b", "\u0085", "x\u2028y", "\u3000", ". . .", "at name@domain.com", "\x0b", "2"]


@pytest.mark.parametrize("end", ["\n", "\r\n", " \n", "\t \r\n"])
@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("between", [" ", "\t"])
def test_strange_words_line_ends_and_separators(save, end, header, between):
    rows = [between.join([w, str(i), "-0.5", "1e-3"]) + end for i, w in enumerate(STRANGE)]
    path = save("v.vec", (f"{len(STRANGE)} 3{end}" if header else "") + "".join(rows))
    vectors = read(path)
    assert list(vectors.words) == STRANGE
    assert vectors.vectors.dtype == np.float32
    expected = [[i, -0.5, 1e-3] for i in range(len(STRANGE))]
    assert np.array_equal(vectors.vectors, np.array(expected, np.float32))
    assert vectors.report.promised == (len(STRANGE) if header else None)
    assert vectors.report.rows == len(STRANGE)
    assert vectors.report.messages == ()


def test_no_newline_at_the_end_blank_lines_and_double_spaces(save):
    vectors = read(save("v.vec", "a  1   2\n\n b c 3  4\n\n\nd 5 6"))
    assert list(vectors.words) == ["a", " b c", "d"]
    assert vectors.vectors.tolist() == [[1, 2], [3, 4], [5, 6]]


def test_invalid_utf8_is_kept_counted_and_warned_of(save, caplog):
    with caplog.at_level(logging.WARNING, "isogloss"):
        vectors = read(save("v.vec", b"2 2\ncaf\xe9 1 2\nb 3 4\n"))
    assert vectors.words[0].encode("utf-8", "surrogateescape") == b"caf\xe9"
    assert vectors["caf\udce9"].tolist() == [1, 2]
    assert vectors.report.invalid_utf8 == 1
    assert "1 words are not valid UTF-8" in caplog.text


def test_duplicates_keep_the_first(save, caplog):
    vectors = read(save("v.vec", "5 1\na 1\nb 2\na 3\nc 4\nb 5\n"))
    assert list(vectors.words) == ["a", "b", "c"]
    assert vectors.vectors[:, 0].tolist() == [1, 2, 4]
    assert (vectors.report.duplicates, vectors.report.rows) == (2, 5)
    assert "the first of 'a'" in caplog.text


def test_many_duplicates_across_the_blocks_of_compaction(save):
    n = 10_000
    lines = [f"w{i % 7000} {i} 1" for i in range(n)]
    vectors = read(save("v.vec", "\n".join(lines)))
    assert vectors.vectors[:, 0].tolist() == list(range(7000))
    lines = [f"w{i // 2} {i} 1" for i in range(n)]
    vectors = read(save("v.vec", "\n".join(lines)))
    assert vectors.vectors[:, 0].tolist() == list(range(0, n, 2))


def test_zero_rows_are_kept_and_counted(save):
    vectors = read(save("v.vec", "a 0 0\nb 1 0\nc 0 0.0\n"))
    assert len(vectors) == 3
    assert vectors.report.zero_rows == 2


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("3 2\na 1 2\nb 1\nc 1 2\n", [":3:", "got 1 numbers after the word 'b'", "expected 2"]),
        ("3 2\na 1 2\n 1 2\nc 1 2\n", [":3:", "no word", "a word and 2 numbers"]),
        ("3 2\na 1 2\nb 1 x2\nc 1 2\n", [":3:", "'x2'", "'b'", "expected 2 numbers"]),
        ("3 2\na 1 2\nb 1 1_0\nc 1 2\n", [":3:", "'1_0'"]),
        ("3 2\na 1 2\nb 1 1,5\nc 1 2\n", [":3:", "'1,5'"]),
        ("3 2\na 1 2\nb 1-2 3\nc 1 2\n", [":3:", "'1-2'"]),
        ("3 2\na 1 2\nb nan 2\nc 1 2\n", [":3:", "got nan as number 1", "'b'", "float32"]),
        ("3 2\na 1 2\nb 1 -inf\nc 1 2\n", [":3:", "got -inf as number 2", "'b'"]),
        ("3 2\na 1 2\nb 1 1e39\nc 1 2\n", [":3:", "got inf as number 2", "'b'"]),
        ("a 1 2\nb 1\nc 1 2\n", [":2:", "got 1 numbers after the word 'b'"]),
    ],
)
def test_a_malformed_line_is_named_or_skipped(save, content, parts):
    path = save("v.vec", content)
    with pytest.raises(FormatError) as caught:
        read(path)
    for part in [str(path), "on_error='skip'", *parts]:
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)
    vectors = read(path, on_error="skip")
    assert list(vectors.words) == ["a", "c"]
    assert vectors.report.skipped == 1
    assert parts[1] in vectors.report.messages[0]


def test_numbers_that_json_does_not_know(save):
    vectors = read(save("v.vec", "a +1 .5 2.\nb 00.5 1E3 -.25\n"))
    assert vectors.vectors.tolist() == [[1, 0.5, 2], [0.5, 1000, -0.25]]


def test_only_the_first_few_messages_are_kept(save):
    vectors = read(save("v.vec", "9 1\na 1\n" + "b\n" * 8), on_error="skip")
    assert vectors.report.skipped == 8
    assert len(vectors.report.messages) == 5


@pytest.mark.parametrize("cut", ["", "c 1", "c", "c "])
def test_a_header_that_promised_more(save, cut):
    path = save("v.vec", "200000 2\na 1 2\nb 1 2\n" + cut)
    with pytest.raises(FormatError, match=r"promised 200,000 rows, and the file ends after 2;"):
        read(path)
    vectors = read(path, on_error="skip")
    assert list(vectors.words) == ["a", "b"]
    assert any("promised 200,000" in message for message in vectors.report.messages)
    assert list(read(path, limit=2).words) == ["a", "b"]


def test_a_header_that_promised_fewer(save, caplog):
    vectors = read(save("v.vec", "1 2\na 1 2\nb 1 2\n"))
    assert len(vectors) == 2
    assert vectors.report.promised == 1
    assert "got 2 rows, expected the 1" in caplog.text


@pytest.mark.parametrize("n", [10**12, 10**17])
def test_a_header_that_promises_the_sky_takes_no_memory(save, n):
    path = save("v.vec", f"{n} 2\na 1 2\nb 1 2\n")
    with pytest.raises(FormatError, match=r"promised 1(00)?,000,000,000"):
        read(path)
    assert len(read(path, limit=10**9, on_error="skip")) == 2


def test_a_header_that_lies_about_the_dimensions(save):
    path = save("v.vec", "2 300\na 1 2\nb 1 2\n")
    with pytest.raises(FormatError, match=r":1: got a header that promises 300 dimensions and.* 2"):
        read(path)


def test_no_rows(save):
    with pytest.raises(FormatError, match="got no vectors"):
        read(save("v.vec", "0 3\n"))


def test_limit_counts_rows_of_the_file(save):
    path = save("v.vec", "4 1\na 1\na 2\nb 3\nbroken\n")
    vectors = read(path, limit=3)
    assert list(vectors.words) == ["a", "b"]
    assert vectors.report.rows == 3
    assert vectors.report.checksum.startswith("sampled-sha256:")


def test_float16(save):
    path = save("v.vec", "2 1\na 0.1\nb 70000\n")
    assert read(path, dtype="float16", limit=1).vectors.dtype == np.float16
    with pytest.raises(FormatError, match=r":3: got 70000.0 as number 1.*float16"):
        read(path, dtype="float16")


def test_a_line_without_end(save, monkeypatch):
    monkeypatch.setattr(text, "_LONGEST", 1000)
    monkeypatch.setattr(text, "_CHUNK", 100)
    with pytest.raises(FormatError, match=r":3: got a line of more than 1,000 bytes"):
        read(save("v.vec", "2 1\na 1\n" + "x" * 5000))


@given(st.integers(1, 40), st.data())
def test_chunks_may_end_anywhere(chunk, data):
    rows = data.draw(st.lists(st.tuples(st.sampled_from("abc é"), st.floats(width=16)), min_size=1))
    good = [(f"{w}{i}", x) for i, (w, x) in enumerate(rows) if np.isfinite(x)]
    body = "".join(f"{w} {x!r} 1\n" for w, x in good).encode()

    class Whole:
        path = "x"

        def __init__(self):
            self.at = 0

        def read(self, _):
            self.at += chunk
            return body[self.at - chunk : self.at]

    lines = [line for _, lines, _ in text._lines(Whole(), 1) for line in lines]
    assert lines == body.split(b"\n")[:-1]


def test_progress_counts_bytes(save):
    path = save("v.vec", "2 1\na 1\nb 2\n")
    told = []
    read(path, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (path.stat().st_size,) * 2
    assert told == sorted(told)


def test_real_vectors_as_text(data, tmp_path):
    V = np.load(data / "en-fr" / "fr.npy", mmap_mode="r")[:2000]
    words = (data / "en-fr" / "fr.words.txt").read_text(encoding="utf-8").split("\n")[:2000]
    with (tmp_path / "fr.vec").open("wb") as out:
        out.write(b"%d %d\n" % V.shape)
        for word, row in zip(words, V, strict=True):
            out.write(f"{word} {' '.join(f'{x:.5f}' for x in row.tolist())} \n".encode())
    vectors = read(tmp_path / "fr.vec")
    assert list(vectors.words) == words
    assert np.abs(vectors.vectors - V).max() <= 0.6e-5
