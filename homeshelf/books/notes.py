"""What a reader writes about a book; a note is there as long as its book is."""

from homeshelf import clock
from homeshelf.books.model import Book, Note
from homeshelf.books.store import key_of
from homeshelf.coordination.idempotency import Also, nothing_else
from homeshelf.errors import NotFound
from homeshelf.table import Check, Database, Key, TransactionCancelled, absent, exists


async def add(
    db: Database, user_id: str, book_id: str, content: str, also: Also = nothing_else
) -> Note:
    at = clock.timestamp()
    new = Note(
        id=clock.ordered_id(),
        user_id=user_id,
        book_id=book_id,
        content=content,
        created_at=at,
        updated_at=at,
    )
    there = Check(key_of(user_id, book_id), exists)
    try:
        await db.transact(new.put(absent), there, *also(new))
    except TransactionCancelled as cancelled:
        if cancelled.by(there):
            raise NotFound from None
        raise
    return new


async def edit(
    db: Database,
    user_id: str,
    book_id: str,
    note_id: str,
    content: str | None,
    also: Also = nothing_else,
) -> Note:
    key = Note.key(user_id=user_id, book_id=book_id, id=note_id)

    async def attempt() -> Note:
        old = await _found(db, key, key_of(user_id, book_id))
        if content is None or content == old.content:
            await db.transact(*also(old))
            return old
        new = old.changed(content=content, updated_at=clock.after(old.updated_at))
        there = Check(key_of(user_id, book_id), exists)
        await db.transact(new.replacing(old), there, *also(new))
        return new

    return await db.settle(key, attempt)


async def remove(db: Database, user_id: str, book_id: str, note_id: str) -> None:
    key = Note.key(user_id=user_id, book_id=book_id, id=note_id)

    async def attempt() -> None:
        old = await _found(db, key, key_of(user_id, book_id))
        await db.transact(old.delete(exists))

    await db.settle(key, attempt)


async def _found(db: Database, key: Key[Note], book: Key[Book]) -> Note:
    note, of = await db.get(key), await db.get(book)
    if note is None or of is None:
        raise NotFound
    return note
