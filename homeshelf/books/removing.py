"""Deleting a book: it goes first, and its notes and events follow, whatever happens half-way."""

from homeshelf import clock
from homeshelf.books.model import Note, ReadingEvent, Removal
from homeshelf.books.store import key_of
from homeshelf.coordination.changing import missing
from homeshelf.coordination.todos import FINISHED_SOON, Todo, finish_soon, todo
from homeshelf.table import Database, exists
from homeshelf.table.operations import Delete

KIND = "book_removed"


async def remove(db: Database, user_id: str, book_id: str) -> None:
    gone = Delete(key_of(user_id, book_id), exists).refusing(missing())
    marked = Removal(user_id=user_id, book_id=book_id)
    about = {"userId": user_id, "bookId": book_id}
    left = todo(KIND, about, clock.now() + FINISHED_SOON)
    await db.transact(gone, marked.put(), left.put())
    await finish_soon(db, left, finish)


async def finish(db: Database, left: Todo) -> None:
    await sweep(db, left.about["userId"], left.about["bookId"])


async def sweep(db: Database, user_id: str, book_id: str) -> None:
    """What a deleted book left behind, once: a book may come back under its id by an import."""
    marked = Removal.key(user_id=user_id, book_id=book_id)
    if await db.get(marked) is None:
        return
    await clear_rest(db, user_id, book_id)
    await db.write(Delete(marked))


async def clear_rest(db: Database, user_id: str, book_id: str) -> None:
    """The notes and events of a book that is gone."""
    await db.clear(Note.where(user_id=user_id, book_id=book_id))
    await db.clear(ReadingEvent.where(user_id=user_id, book_id=book_id))
