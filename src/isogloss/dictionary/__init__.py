"""X_D and Y_D: the pairs of words that a map is learnt from.

Examples
--------
>>> from isogloss.dictionary import WordPairs
>>> WordPairs.of([("cat", "gatto"), ("dog", "cane")])
WordPairs(2: cat → gatto, dog → cane)
"""

from isogloss.dictionary.identical import identical_strings
from isogloss.dictionary.match import Matched, match
from isogloss.dictionary.pairs import WordPairs
from isogloss.dictionary.report import PairsReport
from isogloss.dictionary.terms import Terms

__all__ = ["Matched", "PairsReport", "Terms", "WordPairs", "identical_strings", "match"]
