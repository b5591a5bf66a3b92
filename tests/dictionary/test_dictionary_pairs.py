import bz2
import gzip
import lzma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.dictionary import WordPairs
from isogloss.errors import DictionaryError, FormatError, IsoglossError

field = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r\ufeff<"), min_size=1
).filter(lambda text: text == text.strip(" "))


def read(tmp_path, content, **options):
    path = tmp_path / "pairs.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return WordPairs.read(path, **options)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("cat gatto", [("cat", "gatto")]),
        ("cat\tgatto", [("cat", "gatto")]),
        ("cat \t gatto", [("cat", "gatto")]),
        ("cat\t\tgatto\t\t", [("cat", "gatto")]),
        ("  cat   gatto  ", [("cat", "gatto")]),
        ("cat gatto gatta", [("cat", "gatto"), ("cat", "gatta")]),
        ("New York\tNuova York\tNY", [("New York", "Nuova York"), ("New York", "NY")]),
        ("ice\u00a0cream gelato", [("ice\u00a0cream", "gelato")]),
        ("a\u3000b\tc\u2028d\x85e", [("a\u3000b", "c\u2028d\x85e")]),
    ],
)
def test_lines_are_split_at_tabs_or_else_at_spaces(tmp_path, line, expected):
    assert list(read(tmp_path, f"{line}\n")) == expected
    assert list(read(tmp_path, f"\ufeff\r\n \t\r\n{line}\r\n\n")) == expected
    assert list(read(tmp_path, line)) == expected


@given(st.lists(st.tuples(field, field), min_size=1, max_size=20))
def test_what_is_written_with_tabs_is_read_back(tmp_path_factory, pairs):
    path = tmp_path_factory.mktemp("d") / "pairs"
    path.write_bytes("".join(f"{s}\t{t}\n" for s, t in pairs).encode())
    listed = WordPairs.read(path)
    assert listed.pairs == tuple(pairs)
    assert listed == WordPairs(tuple(pairs), str(path), 0)
    assert WordPairs.read(path, reverse=True) == listed.reversed()
    assert listed.reversed().reversed() == listed


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_files_are_told_by_their_content(tmp_path, pack):
    assert list(read(tmp_path, pack(b"cat gatto\n"))) == [("cat", "gatto")]
    with pytest.raises(FormatError, match=r"ends in the middle|damaged"):
        read(tmp_path, pack(b"cat gatto\n" * 50)[:-6])


def test_invalid_utf8_is_kept_byte_by_byte(tmp_path):
    ((source, target),) = read(tmp_path, b"caf\xe9 caff\xc3\xa8\n")
    assert source.encode("utf-8", "surrogateescape") == b"caf\xe9"
    assert target == "caffè"


@pytest.mark.parametrize(
    ("line", "got"),
    [("dog", "only 'dog'"), ("New York\t", "only 'New York'"), ("\tcane", "no source word")],
)
def test_a_line_without_a_pair_is_named_or_counted(tmp_path, line, got):
    content = f"cat\tgatto\n\n{line}\nsun sole"
    with pytest.raises(FormatError, match=rf"pairs\.txt:3: got {got}.*expected.*skip"):
        read(tmp_path, content)
    listed = read(tmp_path, content, on_error="skip")
    assert listed.pairs == (("cat", "gatto"), ("sun", "sole"))
    assert listed.skipped == listed.reversed().skipped == 1
    assert listed.path == str(tmp_path / "pairs.txt")


@pytest.mark.parametrize("content", ["", "\n \r\n\t\n", "\ufeff"])
def test_an_empty_file_is_refused(tmp_path, content):
    with pytest.raises(DictionaryError, match="an empty file"):
        read(tmp_path, content)


def test_a_file_with_malformed_lines_only_is_refused(tmp_path):
    with pytest.raises(DictionaryError, match="2 malformed lines only"):
        read(tmp_path, "cat\ndog\n", on_error="skip")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("cat gatto".encode("utf-16"), "UTF-16.*save it as UTF-8"),
        (b"\n<!DOCTYPE html>\n<p>404</p>", r":1: got a web page"),
        (b"<?xml version='1.0'?>", "web page"),
    ],
)
def test_files_of_another_kind_are_told(tmp_path, content, message):
    with pytest.raises(FormatError, match=message):
        read(tmp_path, content)


def test_wrong_paths_are_told(tmp_path):
    read(tmp_path, "cat gatto")
    with pytest.raises(FormatError, match=r"no such file; did you mean pairs\.txt"):
        WordPairs.read(tmp_path / "pair.txt")
    with pytest.raises(FormatError, match="got a folder"):
        WordPairs.read(str(tmp_path))
    with pytest.raises(IsoglossError, match="on_error='ignore'"):
        read(tmp_path, "cat gatto", on_error="ignore")


def test_pairs_are_taken_from_memory():
    listed = WordPairs.of([("New York", "NY"), ["cat", "gatto"]])
    assert listed.pairs == (("New York", "NY"), ("cat", "gatto"))
    assert len(listed) == 2
    assert listed.path is None
    assert WordPairs.of(listed) is listed
    assert WordPairs.of({"cat": "gatto"}.items()).pairs == (("cat", "gatto"),)
    assert repr(listed) == "WordPairs(2: New York → NY, cat → gatto)"
    assert repr(WordPairs.of([("a", "b")] * 4)).endswith("a → b, …)")


@pytest.mark.parametrize("pair", ["ab", ("a",), ("a", "b", "c"), ("a", ""), ("a", 1), None])
def test_what_is_no_pair_is_refused(pair):
    with pytest.raises(DictionaryError, match=r"as pair 2, expected .*items\(\)"):
        WordPairs.of([("x", "y"), pair])
