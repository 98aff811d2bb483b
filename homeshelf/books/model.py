"""A reader's books, notes and reading, and the rules they keep."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any, Literal

from homeshelf.sentences import _
from homeshelf.table import BOOKS, HELPER, Keys, Record, Sparse

Status = Literal["SHELF", "READING", "READ"]
STATUSES: tuple[Status, ...] = ("READING", "SHELF", "READ")

Problems = list[tuple[str, str]]
"""What is wrong with a book: the field, and a sentence about it."""

PRICE_AND_CURRENCY = _("A price needs a currency, and a currency a price.")


class Book(Record):
    table = BOOKS
    keys = Keys(
        pk="USER#{userId}",
        sk="BOOK#{id}",
        gsi1pk="USER#{userId}",
        gsi1sk="STATUS#{status}#{updatedAt}",
    )
    lock = "updated_at"

    id: str
    user_id: str
    title: str
    status: Status = "SHELF"
    author: Sparse[str] = None
    isbn: Sparse[str] = None
    description: Sparse[str] = None
    rating: Sparse[Decimal] = None
    current_page: Sparse[int] = None
    total_pages: Sparse[int] = None
    price: Sparse[Decimal] = None
    currency: Sparse[str] = None
    store: Sparse[str] = None
    purchase_date: Sparse[str] = None
    bought_at: Sparse[str] = None
    finished_at: Sparse[str] = None
    created_at: str
    updated_at: str
    entity_type: Literal["BOOK"] = "BOOK"

    @property
    def progress(self) -> int | None:
        """Per cent of its pages, where it is known how many it has."""
        if not self.total_pages:
            return None
        return min(100, (self.current_page or 0) * 100 // self.total_pages)

    @property
    def is_at_its_end(self) -> bool:
        return bool(self.total_pages) and self.current_page == self.total_pages

    def with_details(self, given: Mapping[str, Any], today: date) -> "Book":
        """The same book with these fields, and what follows from them."""
        changes = {name: None if value == "" else value for name, value in given.items()}
        if "price" in changes and changes["price"] is None:
            changes.setdefault("currency", None)
        status = changes.get("status", self.status)
        if status != self.status:
            changes.setdefault("finished_at", today.isoformat() if status == "READ" else None)
        return self.changed(**changes)

    def at_page(self, page: int, at: str) -> "Book":
        """On that page now; a page may go backwards."""
        return self.changed(current_page=page, updated_at=at)

    def problems(self) -> Problems:
        """What does not go together."""
        found: Problems = []
        if (self.price is None) != (self.currency is None):
            found.append(("currency" if self.price is not None else "price", PRICE_AND_CURRENCY))
        if self.finished_at is not None and self.status != "READ":
            found.append(
                ("finishedAt", _("Only a book that was read has a day it was finished on."))
            )
        if _is_beyond(self.current_page, self.total_pages):
            found.append(("currentPage", beyond(self.total_pages)))
        return found


class Note(Record):
    table = BOOKS
    keys = Keys(pk="USER#{userId}", sk="NOTE#{bookId}#{id}")
    lock = "updated_at"

    id: str
    user_id: str
    book_id: str
    content: str
    created_at: str
    updated_at: str
    entity_type: Literal["NOTE"] = "NOTE"


class ReadingEvent(Record):
    """A page that was reached. It never changes, and goes only with its book."""

    table = BOOKS
    keys = Keys(pk="USER#{userId}", sk="EVENT#{bookId}#{occurredAt}#{id}")

    id: str
    user_id: str
    book_id: str
    page: int
    occurred_at: str
    entity_type: Literal["EVENT"] = "EVENT"


class ReaderSettings(Record):
    table = BOOKS
    keys = Keys(pk="USER#{userId}", sk="METADATA")

    user_id: str
    yearly_goal: Sparse[int] = None


class Removal(Record):
    """That a book was deleted whose notes and events are not gone yet."""

    table = HELPER
    keys = Keys(PK="REMOVED_BOOKS#{userId}", SK="BOOK#{bookId}")

    user_id: str
    book_id: str


class Import(Record):
    """How far an import is, and what came of it."""

    table = HELPER
    keys = Keys(PK="IMPORTS#{userId}", SK="IMPORT#{importId}")

    user_id: str
    import_id: str
    done: int = 0
    total: int
    added: int = 0
    skipped: int = 0
    problems: tuple[dict[str, Any], ...] = ()
    ttl: int


class Importing(Record):
    """The one import of a reader that is under way."""

    table = HELPER
    keys = Keys(PK="IMPORTING#{userId}", SK="IMPORTING")

    user_id: str
    import_id: str
    ttl: int


def new_book(user_id: str, id_: str, given: Mapping[str, Any], at: str, today: date) -> Book:
    """A book on the shelf, or further where that is given."""
    blank = Book(id=id_, user_id=user_id, title=given["title"], created_at=at, updated_at=at)
    return blank.with_details(given, today)


def beyond(total_pages: int | None) -> str:
    return _("The book has {total_pages} pages.", total_pages=total_pages)


def _is_beyond(page: int | None, total_pages: int | None) -> bool:
    return page is not None and total_pages is not None and page > total_pages
