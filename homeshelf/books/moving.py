from collections.abc import Sequence
from dataclasses import replace

from homeshelf.accounts.model import Account
from homeshelf.books.fields import real_date
from homeshelf.books.model import Book, Note, ReaderSettings, ReadingEvent
from homeshelf.table import Database, Record
from homeshelf.web.adopting import Adoption, Found, Made
from homeshelf.web.belongings import Arrival, of_person

STRANGERS = (
    "Some have books and are in no family: only an identity provider whose `sub` is their userId "
    "lets them in."
)
BELONGINGS = [
    replace(of_person(Book, "user_id"), no_times=("bought_at", "finished_at")),
    *(of_person(kind, "user_id") for kind in (Note, ReadingEvent, ReaderSettings)),
]


async def move_in(_db: Database, arrival: Arrival) -> Sequence[Record]:
    for book in arrival.of(Book):
        for day in (book.purchase_date, book.finished_at):
            if day is not None:
                real_date(day)
    return [each for belonging in BELONGINGS for each in arrival.of(belonging.kind)]


async def adopt(db: Database, found: Found) -> Adoption:
    """Each book's place in the index, which the document leaves for later."""
    books = found.of(Book)
    needs: list[Sequence[Made]] = [
        [("books in their index", book.put(book.unchanged))]
        for book in books
        if not _is_listed(book)
    ]
    readers = [Account.key(member_id=each) for each in dict.fromkeys(b.user_id for b in books)]
    known = await db.get_many(readers)
    strange = any(
        account is None and key not in found.planned
        for key, account in zip(readers, known, strict=True)
    )
    return Adoption(needs, [STRANGERS] if strange else ())


def _is_listed(book: Book) -> bool:
    stored = book.stored or {}
    return "gsi1pk" in stored and "gsi1sk" in stored
