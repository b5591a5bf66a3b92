import pytest

from isogloss.vectors.layout import Layout, text_layout


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"2 3\na 1 2 3\nb 1 2 3\n", Layout(4, 3, 2)),
        (b"2 3\r\na 1 2 3\r\nb 1 2 3\r\n", Layout(5, 3, 2)),
        (b"\xef\xbb\xbf2 3\na 1 2 3\nb 1 2 3\n", Layout(7, 3, 2)),
        (b"2\t3\na\t1\t2\t3\n", Layout(4, 3, 2)),
        (b"a 1 2 3\nb 1 2 3", Layout(0, 3)),
        (b"\xef\xbb\xbfa 1 2 3\nb 1 2 3", Layout(3, 3)),
        # A word that is a number, or ends in one, or has spaces.
        (b"2 .5 -1e3 3\nb 1 2 3\n", Layout(0, 3)),
        (b"at 2 1 2 3\nb 1 2 3\n. . . 1 2 3\n", Layout(0, 3)),
        # One damaged line doesn't change what the others are.
        (b"a 1 2 3\nb 1 2\nc 1 2 3\n", Layout(0, 3)),
        # Two integers that are a row of one dimension, by the second line.
        (b"200 300\nb 1\nc 2\n", Layout(0, 1)),
        (b"3 1\nb 1\nc 2\n", Layout(4, 1, 3)),
        # A number as the only row's word.
        (b"1 2\n7 1 2\n", Layout(4, 2, 1)),
        (b"7 1 2\n", Layout(0, 2)),
        # Headers that lie about the dimensions.
        (b"2 9\na 1 2 3\nb 1 2 3\n", Layout(4, 9, 2, lie=3)),
        (b"4 2\na 1 2 3\nb 1 2 3\nc 1 2 3\nd 1 2 3\n", Layout(4, 2, 4, lie=3)),
        (b"5 3\n", Layout(4, 3, 5)),
        (b"5 0\n", None),
        (b"hello\nworld\n", None),
        (b"{}", None),
        (b"", None),
    ],
)
def test_layout(head, expected):
    assert text_layout(head) == expected


def test_words_that_all_end_in_numbers_of_their_own_are_no_lie():
    head = b"4 2\na 1 2 3\nb 1 2 3\nc 1 2 3\nd 1 2\n"
    assert text_layout(head) == Layout(4, 2, 4)
