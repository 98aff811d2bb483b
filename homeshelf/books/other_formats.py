"""Translate rows of the exports of Goodreads and StoryGraph."""

from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from homeshelf.books import fields
from homeshelf.sentences import _
from homeshelf.web.body import is_visible

Translated = tuple[dict[str, Any], tuple[str, ...]]
"""The fields of a book, and remarks on changes; `texts` become notes."""
MAX_AUTHOR, MAX_TEXT = 300, 10_000
_SHELVES = {"to-read": "SHELF", "currently-reading": "READING", "read": "READ"}


def translate_goodreads(found: Mapping[str, str], now: str) -> Translated:
    get = _cell(found)
    stars = get("My Rating")
    return _translate(
        get,
        now,
        status=get("Exclusive Shelf"),
        author=get("Author"),
        isbn=get("ISBN13").strip('="') or get("ISBN").strip('="'),
        rating=Decimal(stars) if stars in ("1", "2", "3", "4", "5") else None,
        pages=get("Number of Pages"),
        finished=get("Date Read"),
        texts=[get("My Review"), get("Private Notes")],
    )


def translate_storygraph(found: Mapping[str, str], now: str) -> Translated:
    get = _cell(found)
    rating = fields.decimal_of(get("Star Rating"))
    return _translate(
        get,
        now,
        status=get("Read Status"),
        author=get("Authors"),
        isbn=get("ISBN/UID"),
        rating=rating if isinstance(rating, Decimal) and rating else None,
        finished=get("Last Date Read"),
        texts=[get("Review")],
    )


def _translate(
    get: Callable[[str], str],
    now: str,
    *,
    status: str,
    author: str,
    isbn: str,
    rating: Decimal | None,
    finished: str,
    texts: list[str],
    pages: str = "",
) -> Translated:
    remarks: list[str] = []
    values: dict[str, Any] = {
        "title": get("Title"),
        "author": author[:MAX_AUTHOR],
        "status": _SHELVES.get(status, "SHELF"),
        "texts": [it for text in texts if is_visible(it := text.replace("<br/>", "\n").strip())],
    }
    if len(author) > MAX_AUTHOR or any(len(it) > MAX_TEXT for it in values["texts"]):
        remarks.append(_("Some text was too long and was cut off."))
    if status not in _SHELVES:
        remarks.append(
            _("There’s no shelf called “{shelf}” here, so this went to To read.", shelf=status[:50])
        )
    if isbn:
        try:
            values["isbn"] = fields.isbn13(isbn)
        except ValueError:
            remarks.append(_("The number isn’t an ISBN and was left out."))
    if rating is not None:
        values["rating"] = _round_to_halves(rating)
        if values["rating"] != rating:
            remarks.append(_("Rounded {said} stars to {kept}.", said=rating, kept=values["rating"]))
    if pages.isascii() and pages.isdecimal() and len(pages) < 8 and int(pages):
        values["totalPages"] = int(pages)
    finished, added = finished.replace("/", "-"), get("Date Added").replace("/", "-")
    if values["status"] == "READ" and _is_day(finished):
        values["finishedAt"] = finished
    if _is_day(added):
        # The day is that of where the reader lives, and may be tomorrow's here.
        values["createdAt"] = min(f"{added}T00:00:00.000Z", now)
    return values, tuple(remarks)


def _round_to_halves(rating: Decimal) -> Decimal:
    steps = (rating / fields.HALF).quantize(Decimal(1), ROUND_HALF_UP)
    return min(Decimal(5), max(Decimal(1), steps * fields.HALF)).normalize() + 0


def _is_day(text: str) -> bool:
    try:
        return bool(fields.real_date(text))
    except ValueError:
        return False


def _cell(found: Mapping[str, str]) -> Callable[[str], str]:
    return lambda name: (found.get(name) or "").strip()
