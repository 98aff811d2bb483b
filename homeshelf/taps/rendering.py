"""The bodies of a tag's page, rendered once, with the style sheet, and filled in per request."""

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
from homeshelf.taps.page_lookup import MAX_CACHED, PageContent
from homeshelf.web.assets import assets
from homeshelf.web.middleware import SECURITY_HEADERS
from homeshelf.web.pages import template

FIELDS = ("name", "picture", "tag", "count", "digits", "gone", "unit", "at", "key")
MARK = "\N{SYMBOL FOR NULL}"
_GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
_MARK = re.compile(f"{MARK}(\\w+){MARK}")


@dataclass(frozen=True)
class Body:
    plain: bytes
    gzipped: bytes


class Bodies:
    def __init__(self) -> None:
        style = Markup(f"<style>{_style_sheet()}</style>")  # noqa: S704  # ours
        marks = {name: Markup(f"{MARK}{name}{MARK}") for name in FIELDS}  # noqa: S704  # ours
        rendered = template("taps/tap.html").render(style=style, **marks)
        beginning, mark, rest = rendered.partition(MARK)
        self._beginning = beginning.encode()
        self._rest = _MARK.sub(r"%(\1)s", (mark + rest).replace("%", "%%"))
        self._gzip = GzipPage(self._beginning)
        self.not_found = _message_body(
            style,
            _("There’s nothing here"),
            _("This tag no longer works. Ask the family it belongs to for a new one."),
        )
        self.rate_limited = _message_body(
            style, _("A little too fast"), _("Too many tries. Wait a moment and try again.")
        )
        self.unavailable = _message_body(
            style, _("Just a moment"), _("We can’t reach the shelf right now. Try again.")
        )
        self.failed = _message_body(style, _("That didn’t work"), _("Go back and try again."))

    def page(self, content: PageContent, key: str, *, gzipped: bool) -> bytes:
        count = str(content.quantity)
        values = {
            "name": escape(content.name),
            "picture": picture_html(content.name, content.picture),
            "tag": content.tag.url_id,
            "count": count,
            "digits": str(min(5, len(count))),
            "gone": " data-gone" if count == "0" else "",
            "unit": escape(content.unit or ""),
            "at": str(clock.seconds()),
            "key": key,
        }
        rest = (self._rest % values).encode()
        return self._gzip.compress(rest) if gzipped else self._beginning + rest


@lru_cache(maxsize=MAX_CACHED)
def picture_html(name: str, chosen: str | None) -> str:
    html: str = template("web/parts.html").module.picture(name, chosen, 56)  # type: ignore[attr-defined]  # a macro
    return html


@cache
def tap_bodies(code: str) -> Bodies:
    with use_language(LANGUAGES[code]):
        return Bodies()


def tap_policy() -> str:
    digest = base64.b64encode(hashlib.sha256(_style_sheet().encode()).digest()).decode()
    usual = SECURITY_HEADERS["Content-Security-Policy"]
    return usual.replace("style-src 'self'", f"style-src 'sha256-{digest}'")


def _style_sheet() -> str:
    return assets().files["tap.css"].plain.decode()


def _message_body(style: Markup, title: str, detail: str) -> Body:
    text = template("taps/nothing.html").render(style=style, title=title, detail=detail).encode()
    return Body(text, GzipPage(text).compress(b""))


class GzipPage:
    """gzip with a constant first part; the rest is stored, so that its size reveals nothing."""

    def __init__(self, beginning: bytes) -> None:
        compressor = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
        self._compressed = (
            _GZIP_HEADER + compressor.compress(beginning) + compressor.flush(zlib.Z_FULL_FLUSH)
        )
        self._checksum = zlib.crc32(beginning)
        self._length = len(beginning)

    def compress(self, rest: bytes) -> bytes:
        end = struct.pack("<LL", zlib.crc32(rest, self._checksum), self._length + len(rest))
        return self._compressed + zlib.compress(rest, 0, -zlib.MAX_WBITS) + end
