"""Draw covers, with colour and pattern derived from title and author."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from markupsafe import Markup

from homeshelf.web.pages import template

HUES = 12


@dataclass(frozen=True)
class Cover:
    hue: int
    drawing: Markup


@lru_cache(1000)
def cover(title: str, author: str | None) -> Cover:
    hue, *numbers = hashlib.sha256(f"{title}\n{author or ''}".encode()).digest()[:4]
    macros: Any = template("books/covers.html").module
    return Cover(hue % HUES, macros.art(*numbers))
