"""ISBNs: ten or thirteen digits, of which the last one checks the others."""

import re

_SEPARATORS = re.compile(r"[\s-]")
_TEN = re.compile(r"[0-9]{9}[0-9X]")
_THIRTEEN = re.compile(r"97[89][0-9]{10}")


def isbn13(text: str) -> str:
    """The thirteen digits of an ISBN, with or without dashes; ValueError where it is none."""
    bare = _SEPARATORS.sub("", text).upper()
    if _TEN.fullmatch(bare) and _check_of_ten(bare) == bare[-1]:
        start = f"978{bare[:9]}"
        return start + _check_of_thirteen(start)
    if _THIRTEEN.fullmatch(bare) and _check_of_thirteen(bare) == bare[-1]:
        return bare
    raise ValueError("no ISBN")


def _check_of_ten(digits: str) -> str:
    rest = sum((place + 1) * int(digit) for place, digit in enumerate(digits[:9])) % 11
    return "X" if rest == 10 else str(rest)


def _check_of_thirteen(digits: str) -> str:
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits[:12]))
    return str(-total % 10)
