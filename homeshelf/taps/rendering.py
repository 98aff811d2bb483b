"""The bodies of a tag's address, rendered once and filled in for each load. The style sheet stands
in the page; the policy names its hash."""

import base64
import hashlib
import re
import struct
import zlib
from dataclasses import dataclass
from functools import cache, lru_cache

from markupsafe import Markup, escape

from homeshelf import clock
from homeshelf.languages import LANGUAGES, use_language
from homeshelf.sentences import _
from homeshelf.taps.page_lookup import MOST_KNOWN, PageContent
from homeshelf.web.assets import assets
from homeshelf.web.middleware import SECURITY_HEADERS
from homeshelf.web.pages import template

FIELDS = ("name", "picture", "tag", "count", "digits", "gone", "unit", "at", "key")
MARK = "\N{SYMBOL FOR NULL}"
_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
_MARK = re.compile(f"{MARK}(\\w+){MARK}")


@dataclass(frozen=True)
class Body:
    plain: bytes
    packed: bytes


class Bodies:
    def __init__(self) -> None:
        style = Markup(f"<style>{_sheet()}</style>")  # noqa: S704  # ours
        marks = {name: Markup(f"{MARK}{name}{MARK}") for name in FIELDS}  # noqa: S704  # ours
        rendered = template("taps/tap.html").render(style=style, **marks)
        beginning, mark, rest = rendered.partition(MARK)
        self._beginning = beginning.encode()
        self._rest = _MARK.sub(r"%(\1)s", (mark + rest).replace("%", "%%"))
        self._packing = Packing(self._beginning)
        self.nothing = _said(
            style,
            _("There’s nothing here"),
            _("This tag no longer works. Ask the family it belongs to for a new one."),
        )
        self.too_often = _said(
            style, _("A little too fast"), _("Too many tries. Wait a moment and try again.")
        )
        self.away = _said(
            style, _("Just a moment"), _("We can’t reach the shelf right now. Try again.")
        )
        self.wrong = _said(style, _("That didn’t work"), _("Go back and try again."))

    def page(self, content: PageContent, key: str, *, packed: bool) -> bytes:
        count = str(content.quantity)
        values = {
            "name": escape(content.name),
            "picture": drawn_picture(content.name, content.picture),
            "tag": content.tag.url_id,
            "count": count,
            "digits": str(min(5, len(count))),
            "gone": " data-gone" if count == "0" else "",
            "unit": escape(content.unit or ""),
            "at": str(clock.seconds()),
            "key": key,
        }
        rest = (self._rest % values).encode()
        return self._packing.packed(rest) if packed else self._beginning + rest


@lru_cache(maxsize=MOST_KNOWN)
def drawn_picture(name: str, chosen: str | None) -> str:
    """Draw as on all pages, once for each name."""
    drawn: str = template("web/parts.html").module.picture(name, chosen, 56)  # type: ignore[attr-defined]  # a macro
    return drawn


@cache
def tap_bodies(code: str) -> Bodies:
    with use_language(LANGUAGES[code]):
        return Bodies()


def tap_policy() -> str:
    digest = base64.b64encode(hashlib.sha256(_sheet().encode()).digest()).decode()
    usual = SECURITY_HEADERS["Content-Security-Policy"]
    return usual.replace("style-src 'self'", f"style-src 'sha256-{digest}'")


def _sheet() -> str:
    return assets().files["tap.css"].plain.decode()


def _said(style: Markup, title: str, detail: str) -> Body:
    text = template("taps/nothing.html").render(style=style, title=title, detail=detail).encode()
    return Body(text, Packing(text).packed(b""))


class Packing:
    """gzip for a page whose first part is constant and packed once. The rest is stored unpacked,
    which costs nothing and keeps its size independent of its content."""

    def __init__(self, beginning: bytes) -> None:
        packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
        self._packed = _HEAD + packer.compress(beginning) + packer.flush(zlib.Z_FULL_FLUSH)
        self._checksum = zlib.crc32(beginning)
        self._length = len(beginning)

    def packed(self, rest: bytes) -> bytes:
        end = struct.pack("<LL", zlib.crc32(rest, self._checksum), self._length + len(rest))
        return self._packed + zlib.compress(rest, 0, -zlib.MAX_WBITS) + end
