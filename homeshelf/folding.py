"""Text folding, for comparisons that ignore case and accents."""

import unicodedata


def plain(text: str) -> str:
    """Return the text in lower case, without accents and strokes."""
    folded = unicodedata.normalize("NFKD", text).casefold()
    letters = unicodedata.normalize("NFKD", folded)
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return bare.translate(_STROKES)


_STROKES = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "\u0131": "i"}
    | {"æ": "ae", "œ": "oe", "þ": "th"}
)
