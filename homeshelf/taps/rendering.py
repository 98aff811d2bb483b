"""The page of a tag, rendered once and filled in for every load."""

import re
from functools import cache

from markupsafe import Markup, escape

from homeshelf.taps.model import OpenTag
from homeshelf.web.pages import template

FIELDS = ("name", "tag", "count", "digits", "gone", "unit", "key")
_MARK = re.compile("\N{SYMBOL FOR NULL}(\\w+)\N{SYMBOL FOR NULL}")


class Bodies:
    """What is answered at a tag's address."""

    def __init__(self) -> None:
        marks = {name: Markup(f"\N{SYMBOL FOR NULL}{name}\N{SYMBOL FOR NULL}") for name in FIELDS}  # noqa: S704  # ours
        self._pieces = _MARK.split(template("taps/tap.html").render(**marks))
        self.nothing = _said(
            "There is nothing here",
            "This tag does not work any more. Ask the family whose it is for a new one.",
        )
        self.too_often = _said("A little too fast", "That was too often. Wait a little.")
        self.away = _said("Just a moment", "The shelf is out of reach just now. Try again.")
        self.wrong = _said("That did not work", "Go back and try again.")

    def page(self, opened: OpenTag, key: str) -> bytes:
        item, count = opened.item, str(opened.item.quantity)
        values = {
            "name": escape(item.name),
            "tag": opened.tag.url_id,
            "count": count,
            "digits": str(min(5, len(count))),
            "gone": " data-gone" if count == "0" else "",
            "unit": escape(item.unit or ""),
            "key": key,
        }
        pieces = self._pieces.copy()
        pieces[1::2] = [values[name] for name in pieces[1::2]]
        return "".join(pieces).encode()


@cache
def tap_bodies() -> Bodies:
    return Bodies()


def _said(title: str, detail: str) -> bytes:
    return template("taps/nothing.html").render(title=title, detail=detail).encode()
