from decimal import Decimal
from typing import Literal

from homeshelf.table import BOOKS, Keys, Optional, Record

Status = Literal["SHELF", "READING", "READ"]


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
    author: Optional[str] = None
    isbn: Optional[str] = None
    description: Optional[str] = None
    rating: Optional[Decimal] = None
    current_page: Optional[int] = None
    total_pages: Optional[int] = None
    price: Optional[Decimal] = None
    currency: Optional[str] = None
    store: Optional[str] = None
    purchase_date: Optional[str] = None
    bought_at: Optional[str] = None
    finished_at: Optional[str] = None
    created_at: str
    updated_at: str
    entity_type: Literal["BOOK"] = "BOOK"


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
    time_zone: Optional[str] = None
    yearly_goal: Optional[int] = None
