from collections.abc import Sequence
from dataclasses import replace

from homeshelf.books.fields import real_date
from homeshelf.books.model import Book, Note, ReaderSettings, ReadingEvent
from homeshelf.table import Database, Record
from homeshelf.web.belongings import Arrival, of_person

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
