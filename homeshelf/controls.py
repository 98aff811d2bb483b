"""Characters that are not shown but drive a terminal, or turn the direction of the text around."""

import re

_DIRECTIONS = "\u202a-\u202e\u2066-\u2069"
_ANY = re.compile(f"[\x00-\x1f\x7f-\x9f{_DIRECTIONS}]")
_EXCEPT_LINES = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{_DIRECTIONS}]")


def has_control_characters(text: str, *, lines: bool = False) -> bool:
    """With `lines`, line breaks and tabs are allowed."""
    return (_EXCEPT_LINES if lines else _ANY).search(text) is not None


def without_control_characters(text: str, *, lines: bool = False) -> str:
    """Remove control characters; without `lines`, line breaks and tabs become spaces."""
    if not lines:
        text = re.sub(r"[\t\r\n]+", " ", text)
    return _EXCEPT_LINES.sub("", text)


def printable(text: str) -> str:
    """Show whatever a terminal might obey as question marks."""
    return "".join(each if each.isprintable() else "?" for each in text)
