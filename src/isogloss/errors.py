"""The few exceptions that a caller may want to catch."""


class IsoglossError(Exception):
    """Something the user can mend: every error raised on purpose is one of these."""


class FormatError(IsoglossError):
    """A file is not what it should be; the message names it and, where there is one, the line."""


class DictionaryError(IsoglossError):
    """A dictionary cannot be used, for instance because the vocabularies hold no pair of it."""


class ModelError(IsoglossError):
    """A saved model cannot be opened, or cannot do what it is asked for."""


class MissingExtraError(IsoglossError):
    """An optional dependency is not installed; the message holds the pip line that installs it."""
