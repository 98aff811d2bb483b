"""Draw covers, with colour and pattern derived from title and author."""

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from markupsafe import Markup

from homeshelf.web.pages import template

HUES = 12
SOFT_HYPHEN = "\u00ad"
_LONG_WORD, _PART = re.compile(r"\w{17,}"), re.compile(r".{1,8}")
TYPE_SIZES = {"tiny": 14, "small": 10}
"""The shortest longest word for each smaller size of type."""


@dataclass(frozen=True)
class Cover:
    hue: int
    drawing: Markup
    title: str
    """The title, with soft hyphens in words that are too long for a line."""
    title_size: str
    """The size of the title's type, so that its longest word fits: "", "small" or "tiny"."""


@lru_cache(1000)
def cover(title: str, author: str | None) -> Cover:
    hue, *numbers = hashlib.sha256(f"{title}\n{author or ''}".encode()).digest()[:4]
    macros: Any = template("books/covers.html").module
    return Cover(hue % HUES, macros.art(*numbers), _hyphenate(title), _type_size(title))


def _hyphenate(text: str) -> str:
    return _LONG_WORD.sub(lambda word: SOFT_HYPHEN.join(_PART.findall(word[0])), text)


def _type_size(text: str) -> str:
    longest = max(map(len, re.split(r"[\s-]", text)))
    return next((size for size, least in TYPE_SIZES.items() if longest >= least), "")
