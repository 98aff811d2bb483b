"""The records of books, notes and reading, and their rules."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any, Literal

from homeshelf.sentences import _
from homeshelf.table import BOOKS, HELPER, Keys, Record, Sparse
from homeshelf.table.expressions import Value

Status = Literal["SHELF", "READING", "READ"]
STATUSES: tuple[Status, ...] = ("READING", "SHELF", "READ")


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
        """The percentage that was read; None if the number of pages is unknown."""
        if not self.total_pages:
            return None
        return min(100, (self.current_page or 0) * 100 // self.total_pages)

    @property
    def is_at_its_end(self) -> bool:
        return bool(self.total_pages) and self.current_page == self.total_pages

    def with_details(self, given: Mapping[str, Any], today: date) -> "Book":
        changes = {name: None if value == "" else value for name, value in given.items()}
        if "price" in changes and changes["price"] is None:
            changes.setdefault("currency", None)
        status = changes.get("status", self.status)
        if status != self.status:
            changes.setdefault("finished_at", today.isoformat() if status == "READ" else None)
        return self.changed(**changes)

    def problems(self) -> list[tuple[str, str]]:
        wrong: list[tuple[str, str]] = []
        if (self.price is None) != (self.currency is None):
            name = "price" if self.price is None else "currency"
            wrong.append((name, _("Enter both a price and a currency.")))
        if self.finished_at is not None and self.status != "READ":
            why = _("Only a book you’ve finished has a finish date.")
            wrong.append(("finishedAt", why))
        if self.total_pages is not None and (self.current_page or 0) > self.total_pages:
            wrong.append(("currentPage", page_limit_message(self.total_pages)))
        return wrong


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
    """A page that the reader reached; it never changes."""

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
    entity_type: Literal["METADATA"] = "METADATA"

    def item(self) -> dict[str, Value]:
        """Return the stored item; records of earlier versions lack the entityType."""
        return super().item() | {"entityType": self.entity_type}


class Removal(Record):
    """A deleted book with notes and events that are not deleted yet."""

    table = HELPER
    keys = Keys(PK="REMOVED_BOOKS#{userId}", SK="BOOK#{bookId}")

    user_id: str
    book_id: str


class Import(Record):
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
    """The lock of a reader's running import."""

    table = HELPER
    keys = Keys(PK="IMPORTING#{userId}", SK="IMPORTING")

    user_id: str
    import_id: str
    ttl: int


def page_limit_message(total_pages: int) -> str:
    return _("The book has {total_pages} pages.", total_pages=total_pages)
