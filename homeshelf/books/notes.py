"""What a reader writes about a book; a note is there as long as its book is."""

from homeshelf import clock
from homeshelf.books.model import Note
from homeshelf.books.store import key_of
from homeshelf.coordination import changing
from homeshelf.coordination.changing import Outcome, change, existing, missing
from homeshelf.table import Check, Database, Key, exists


async def add(db: Database, user_id: str, book_id: str, content: str) -> Note:
    at = clock.timestamp()
    new = Note(
        id=clock.ordered_id(),
        user_id=user_id,
        book_id=book_id,
        content=content,
        created_at=at,
        updated_at=at,
    )
    return await changing.add(db, new, _of_a_book(new))


async def edit(db: Database, user_id: str, book_id: str, note_id: str, content: str | None) -> Note:
    async def edited(old: Note) -> Outcome[Note]:
        if content is None or content == old.content:
            return old, ()
        new = old.changed(content=content, updated_at=clock.after(old.updated_at))
        return new, [_of_a_book(new)]

    key = Note.key(user_id=user_id, book_id=book_id, id=note_id)
    return await change(db, key, edited, find=_with_its_book)


async def remove(db: Database, user_id: str, book_id: str, note_id: str) -> None:
    key = Note.key(user_id=user_id, book_id=book_id, id=note_id)
    await changing.remove(db, key, find=_with_its_book)


def _of_a_book(note: Note) -> Check:
    return Check(key_of(note.user_id, note.book_id), exists).refusing(missing())


async def _with_its_book(db: Database, key: Key[Note]) -> Note:
    note = await existing(db, key)
    await existing(db, key_of(note.user_id, note.book_id))
    return note
