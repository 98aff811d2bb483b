"""Copy all records from one database to another, resuming after an interruption."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from homeshelf.config import DynamoDBAt, SqliteAt
from homeshelf.moving.comparison import Comparison, compare
from homeshelf.moving.copy_sides import Side
from homeshelf.moving.progress_marks import CopyMark, unfinished_copy
from homeshelf.private_files import make_private_folder
from homeshelf.table import TABLES, CannotOpen, Delete, Item, Put, Table, key_in, open_database
from homeshelf.table.limits import KEYS
from homeshelf.table.sqlite.copies import Progress

BATCH_SIZE = 25
CONCURRENCY = 8


async def copy_database(source: Side, target: Side, progress: Progress) -> list[Comparison]:
    """Copy and compare; if the result differs, the next copy starts over."""
    mark = await _begin_copy(source, target)
    ours, theirs = await source.signing_key(), await target.signing_key()
    if ours is not None and theirs not in (None, ours):
        raise CannotOpen("The target has another signing key, which was not changed.")
    size = await source.db.engine.size()
    for table in TABLES:
        if table.name in mark.tables_done:
            continue
        async for page in source.pages(table, mark.start):
            await _put_items(target, table, page.items)
            copied = mark.copied + len(page.items)
            mark = mark.changed(start=page.next and dict(page.next), copied=copied)
            if page.next is None:
                if mark.again:
                    await _delete_extra_items(source, target, table)
                mark = mark.changed(tables_done=(*mark.tables_done, table.name))
            await target.db.put(mark)
            progress(copied, max(3 * size, copied))
    if key := await source.signing_key():  # may have changed during the copy
        await target.store_key(key)
    compared = await compare(source, target, lambda done, of: progress(size + done, size + of))
    if all(each.is_same for each in compared):
        await target.db.write(mark.delete())
    else:
        await target.db.put(CopyMark(source=source.digest, again=True))
    return compared


async def create_target(source: Side, target: SqliteAt | DynamoDBAt) -> None:
    """Create a missing database file that is marked as an unfinished copy."""
    if not isinstance(target, SqliteAt) or target.path.exists():
        return
    make_private_folder(target.path.parent)
    with TemporaryDirectory(prefix=".", dir=target.path.parent) as folder:
        made = Path(folder, target.path.name)
        db = open_database(SqliteAt(made))
        await db.put(CopyMark(source=source.digest))
        await db.close()
        with suppress(FileExistsError):  # another process was faster
            target.path.hardlink_to(made)


async def _begin_copy(source: Side, target: Side) -> CopyMark:
    if source.digest == target.digest:
        raise CannotOpen("Both are the same database: there is nothing to copy.")
    if await unfinished_copy(source.db):
        raise CannotOpen("The source is itself an unfinished copy: finish that one first.")
    mark = await unfinished_copy(target.db)
    if mark is None:
        if not await target.is_empty():
            raise CannotOpen("The target is not empty; nothing in it was changed.")
        mark = CopyMark(source=source.digest)
        await target.db.put(mark)
    if mark.source != source.digest:
        raise CannotOpen(
            "The target is an unfinished copy of another database: finish that one first."
        )
    return mark


async def _put_items(target: Side, table: Table, items: Sequence[Item]) -> None:
    puts = [Put(table, item) for item in items]
    chunks = [puts[first : first + BATCH_SIZE] for first in range(0, len(puts), BATCH_SIZE)]
    for first in range(0, len(chunks), CONCURRENCY):
        await asyncio.gather(*map(target.db.batch, chunks[first : first + CONCURRENCY]))


async def _delete_extra_items(source: Side, target: Side, table: Table) -> None:
    async for page in target.pages(table):
        keys = [key_in(table, item) for item in page.items]
        for first in range(0, len(keys), KEYS):
            chunk = keys[first : first + KEYS]
            found = await source.db.engine.get_many(chunk)
            gone = [key for key, item in zip(chunk, found, strict=True) if item is None]
            await target.db.batch([Delete(key) for key in gone])
