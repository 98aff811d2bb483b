"""Text as somebody types it who has no capitals and no accents."""

import unicodedata


def plain(text: str) -> str:
    """Without case, accents and strokes."""
    folded = unicodedata.normalize("NFKD", text).casefold()
    letters = unicodedata.normalize("NFKD", folded)
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return bare.translate(_STROKES)


_STROKES = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "\u0131": "i"}
    | {"æ": "ae", "œ": "oe", "þ": "th"}
)
"""Letters that are no others with something added, as Unicode sees it."""
