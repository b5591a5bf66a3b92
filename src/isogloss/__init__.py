"""isogloss draws two languages on one map: word vectors in, translations with probabilities out.

Examples
--------
>>> import isogloss as iso
>>> en, it, train, test = iso.sample()
>>> model = iso.Translator().fit(en, it, train)
>>> answer = model.translate(["january"], topn=2)[0]
>>> answer.translations[0].word
'gennaio'
"""

import logging

from isogloss.dictionary import WordPairs, identical_strings
from isogloss.errors import (
    DictionaryError,
    FormatError,
    IsoglossError,
    MissingExtraError,
    ModelError,
)
from isogloss.recipes import Recipe, recipe
from isogloss.sample import sample
from isogloss.translator import Answer, Translation, Translator, __version__, load
from isogloss.vectors import Vectors, Words, as_vectors, read, write

__all__ = [
    "Answer",
    "DictionaryError",
    "FormatError",
    "IsoglossError",
    "MissingExtraError",
    "ModelError",
    "Recipe",
    "Translation",
    "Translator",
    "Vectors",
    "WordPairs",
    "Words",
    "__version__",
    "as_vectors",
    "identical_strings",
    "load",
    "read",
    "recipe",
    "sample",
    "write",
]

# Silent unless the programme that imports it sets logging up.
logging.getLogger(__name__).addHandler(logging.NullHandler())
