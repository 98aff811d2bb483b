"""What is answered at a tag's address, rendered once and filled in for every load.

The style sheet stands in the page, so that it is there at once; the policy names its hash.
"""

import base64
import hashlib
import re
from dataclasses import dataclass
from functools import cache

from markupsafe import Markup, escape

from homeshelf.sentences import _
from homeshelf.taps.packing import Packing
from homeshelf.taps.page_lookup import PageContent
from homeshelf.web.assets import assets
from homeshelf.web.middleware import SECURITY_HEADERS
from homeshelf.web.pages import template

FIELDS = ("name", "tag", "count", "digits", "gone", "unit", "key")
MARK = "\N{SYMBOL FOR NULL}"
_MARK = re.compile(f"{MARK}(\\w+){MARK}")


@dataclass(frozen=True)
class Body:
    """As it goes to those who unpack it, and to the others."""

    plain: bytes
    packed: bytes


class Bodies:
    def __init__(self) -> None:
        sheet = assets().files["tap.css"].plain.decode()
        self.policy = _policy(sheet)
        style = Markup(f"<style>{sheet}</style>")  # noqa: S704  # ours
        marks = {name: Markup(f"{MARK}{name}{MARK}") for name in FIELDS}  # noqa: S704  # ours
        rendered = template("taps/tap.html").render(style=style, **marks)
        beginning, mark, rest = rendered.partition(MARK)
        self._beginning = beginning.encode()
        self._rest = _MARK.sub(r"%(\1)s", (mark + rest).replace("%", "%%"))
        self._packing = Packing(self._beginning)
        self.nothing = _said(
            style,
            _("There is nothing here"),
            _("This tag does not work any more. Ask the family whose it is for a new one."),
        )
        self.too_often = _said(
            style, _("A little too fast"), _("That was too often. Wait a little.")
        )
        self.away = _said(
            style, _("Just a moment"), _("The shelf is out of reach just now. Try again.")
        )
        self.wrong = _said(style, _("That did not work"), _("Go back and try again."))

    def page(self, content: PageContent, key: str, *, packed: bool) -> bytes:
        count = str(content.quantity)
        values = {
            "name": escape(content.name),
            "tag": content.tag.url_id,
            "count": count,
            "digits": str(min(5, len(count))),
            "gone": " data-gone" if count == "0" else "",
            "unit": escape(content.unit or ""),
            "key": key,
        }
        rest = (self._rest % values).encode()
        return self._packing.packed(rest) if packed else self._beginning + rest


@cache
def tap_bodies() -> Bodies:
    return Bodies()


def _policy(sheet: str) -> str:
    """The usual one, but for the one style sheet that is allowed: the page's own."""
    digest = base64.b64encode(hashlib.sha256(sheet.encode()).digest()).decode()
    usual = SECURITY_HEADERS["Content-Security-Policy"]
    return usual.replace("style-src 'self'", f"style-src 'sha256-{digest}'")


def _said(style: Markup, title: str, detail: str) -> Body:
    text = template("taps/nothing.html").render(style=style, title=title, detail=detail).encode()
    return Body(text, Packing(text).packed(b""))
