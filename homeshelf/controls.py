"""Find and remove control characters, and those that change the direction of text."""

import re

_DIRECTIONS = "\u202a-\u202e\u2066-\u2069"
_CONTROLS = re.compile(f"[\x00-\x1f\x7f-\x9f{_DIRECTIONS}]")


def has_control_characters(text: str) -> bool:
    return _CONTROLS.search(text) is not None


def without_control_characters(text: str) -> str:
    """Turn line breaks and tabs into spaces, and remove all other control characters."""
    return _CONTROLS.sub("", re.sub(r"[\t\r\n]+", " ", text))


def printable(text: str) -> str:
    """Replace what a terminal might obey by question marks."""
    return "".join(each if each.isprintable() else "?" for each in text)
