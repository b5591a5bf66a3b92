"""What became of the pairs of a dictionary."""

import msgspec


class PairsReport(msgspec.Struct, frozen=True, kw_only=True):
    """How many pairs of a dictionary two vocabularies hold, and where the others went.

    `used`, `duplicates` and the three `…_missing` add up to `listed`.

    Attributes
    ----------
    listed : int
        Pairs in the dictionary.
    used : int
        Pairs with both sides found, each counted once.
    source_missing, target_missing : int
        Pairs of which only this side is unknown.
    both_missing : int
        Pairs of which both sides are unknown.
    duplicates : int
        Pairs that come to the same words as an earlier one.
    composed : int
        Used pairs with a side of several words that the vocabulary has one by one only.
    by_case : int
        Used pairs with a side that was found only in another case.
    skipped : int
        Malformed lines that ``on_error="skip"`` dropped; they are not among the listed.
    used_reversed : int or None
        Pairs that would be used with the sides exchanged; counted only where fewer than half
        of the listed ones were found.
    """

    listed: int
    used: int
    source_missing: int = 0
    target_missing: int = 0
    both_missing: int = 0
    duplicates: int = 0
    composed: int = 0
    by_case: int = 0
    skipped: int = 0
    used_reversed: int | None = None

    @property
    def looks_reversed(self) -> bool:
        """Whether far more pairs would be used with the sides exchanged."""
        return self.used_reversed is not None and self.used_reversed > 2 * self.used

    def describe(self) -> str:
        """One line in words."""
        details = [
            f"{count:,} {what}"
            for count, what in (
                (self.source_missing, "without the source word"),
                (self.target_missing, "without the target word"),
                (self.both_missing, "without both"),
                (self.duplicates, "listed before"),
                (self.by_case, "found in another case"),
                (self.composed, "composed of several words"),
                (self.skipped, "malformed, skipped"),
            )
            if count
        ]
        tail = f" ({'; '.join(details)})" if details else ""
        return f"{self.used:,} of {self.listed:,} pairs used{tail}"

    def reversed_hint(self) -> str:
        """What to do where the sides seem to be exchanged."""
        return (
            f"the dictionary seems to be the other way round: {self.used_reversed or 0:,} of "
            f"{self.listed:,} pairs match in reverse, {self.used:,} as they stand; exchange its "
            "columns (`fit --reverse`, or pairs.reversed())"
        )
