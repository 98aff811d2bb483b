"""Export and import a person's books, and adopt those of another program."""

from collections.abc import Sequence
from dataclasses import replace

from homeshelf.accounts.model import Account
from homeshelf.books.fields import real_date
from homeshelf.books.model import Book, Note, ReaderSettings, ReadingEvent
from homeshelf.coordination.adopting import Adoption, Found, Made
from homeshelf.coordination.belongings import Arrival, Belonging, of_person
from homeshelf.table import Database, Put, Record, Set, Update, attr, exists

UNKNOWN_READERS = (
    "Some have books and are in no family: only an identity provider whose `sub` is their userId "
    "lets them in."
)


async def _find_settings(db: Database, user_id: str) -> Sequence[ReaderSettings]:
    """Return a reader's settings by their key, as a query would miss old ones."""
    found = await db.get(ReaderSettings.key(user_id=user_id))
    return [] if found is None else [found]


BELONGINGS = [
    replace(of_person(Book, "user_id"), no_times=("bought_at", "finished_at")),
    *(of_person(kind, "user_id") for kind in (Note, ReadingEvent)),
    Belonging(ReaderSettings, "person", _find_settings),
]


async def move_in(_db: Database, arrival: Arrival) -> Sequence[Record]:
    for book in arrival.of(Book):
        for day in (book.purchase_date, book.finished_at):
            if day is not None:
                real_date(day)
    return [each for belonging in BELONGINGS for each in arrival.of(belonging.kind)]


async def adopt(db: Database, found: Found) -> Adoption:
    """Add missing index keys and entity types to another program's records."""
    books = found.of(Book)
    needs: list[Sequence[Made]] = [
        *(
            [("books in their index", _add_index_keys(book))]
            for book in books
            if not _has_index_keys(book)
        ),
        *(
            [("settings of readers", _add_entity_type(each))]
            for each in found.of(ReaderSettings)
            if "entityType" not in (each.stored or {})
        ),
    ]
    readers = [Account.key(member_id=each) for each in dict.fromkeys(b.user_id for b in books)]
    known = await db.get_many(readers)
    strange = any(
        account is None and key not in found.planned
        for key, account in zip(readers, known, strict=True)
    )
    return Adoption(needs, [UNKNOWN_READERS] if strange else ())


def _add_index_keys(book: Book) -> Put:
    """Return the write that adds the index keys and changes nothing else."""
    item = book.item()
    keys = {name: item[name] for name in ("gsi1pk", "gsi1sk")}
    return Put(book.table, {**(book.stored or {}), **keys}, book.unchanged)


def _add_entity_type(settings: ReaderSettings) -> Update:
    when = exists & attr("entityType").missing
    return settings.update(settings.own_key(), Set("entityType", settings.entity_type), when=when)


def _has_index_keys(book: Book) -> bool:
    stored = book.stored or {}
    return "gsi1pk" in stored and "gsi1sk" in stored
