"""What may a crawl, a topic or a person be called? What one can type in a shell and in a URL, in any script."""

from __future__ import annotations

import unicodedata

from shoal.errors import InputError

_LONGEST = 100
_MOST_BYTES = 200
"""Of a name that may be that of a file: systems take 255, and files beside it have longer names."""
_ALSO = "-_."


def normal_name(name: str) -> str:
    """A name as it is kept: systems spell the same letters in different ways."""
    return unicodedata.normalize("NFC", name)


def login_from(name: str) -> str:
    """A person's name as it is compared: nobody can be told from somebody else by the size or the width of letters."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def checked_name(name: str, of: str) -> str:
    """The name as it is kept; one sentence when nobody could type it."""
    kept = normal_name(name)
    if problem := _problem(kept):
        raise InputError(f"{of} cannot be called {name!r:.120}: {problem}.")
    return kept


def _problem(name: str) -> str:
    if not name:
        return "a name has at least one letter"
    if len(name) > _LONGEST:
        return f"a name has at most {_LONGEST} letters"
    if len(name.encode()) > _MOST_BYTES:
        return f"a name has at most {_MOST_BYTES} bytes, which are {_MOST_BYTES // 3} Chinese characters"
    if not name[0].isalnum():
        return "a name begins with a letter or a digit"
    if strange := next((letter for letter in name if not _may_stand(letter)), ""):
        return f"a name has letters, digits, and {' '.join(_ALSO)}, but no {strange!r}"
    return ""


def _may_stand(letter: str) -> bool:
    # Marks: without them nobody could write Thai or Hindi.
    return letter.isalnum() or letter in _ALSO or unicodedata.category(letter).startswith("M")


def made_of(text: str) -> str:
    """A name out of any text, such as that of a folder: `My crawl (2)` is `My-crawl-2`; perhaps empty."""
    kept = "".join(letter if _may_stand(letter) else " " for letter in normal_name(text))
    words = "-".join(kept.split())
    while words and not words[0].isalnum():
        words = words[1:]
    return normal_name(words[:_LONGEST].encode()[:_MOST_BYTES].decode(errors="ignore"))
