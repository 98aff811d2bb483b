"""Whether every record can be read: looks at all of them, as nothing else does."""

from collections.abc import AsyncIterator, Sequence

from homeshelf.commands.kinds import every_kind
from homeshelf.table import SHAREABLES, TABLES, Database, Record, Unreadable
from homeshelf.table.expressions import Item
from homeshelf.table.loading import loaded
from homeshelf.table.operations import Key, item_key
from homeshelf.table.schema import Table

AT_ONCE = 500
NAMED = 10


async def records_finding(db: Database) -> tuple[str, bool]:
    """What there is to say about them, and whether it is good."""
    kinds = every_kind()
    seen, lost = 0, dict[str, Unreadable]()
    for table in TABLES:
        async for key, item in _all(db, table):
            seen += 1
            if (unreadable := _trouble(kinds, key, item)) is not None:
                lost[unreadable.digest] = unreadable
    if not lost:
        return f"all {seen:,} can be read.", True
    named = "; ".join(_described(each) for each in [*lost.values()][:NAMED])
    more = f"; and {len(lost) - NAMED} more" if len(lost) > NAMED else ""
    advice = "they are left out of lists; correct or delete them in the database"
    return f"{len(lost)} of {seen:,} cannot be read: {named}{more}; {advice}.", False


async def _all(db: Database, table: Table) -> AsyncIterator[tuple[Key[Item], Item | None]]:
    page = await db.engine.scan(table, AT_ONCE)
    while True:
        for key in page.unreadable:
            yield key, None
        for item in page.items:
            yield item_key(table, item[table.partition], item[table.sort]), item
        if page.next is None:
            return
        page = await db.engine.scan(table, AT_ONCE, page.next)


def _trouble(kinds: Sequence[type[Record]], key: Key[Item], item: Item | None) -> Unreadable | None:
    """What is wrong with a record; what is of no kind that we know is nobody's trouble."""
    if item is None:
        return Unreadable(key, "it holds what no record does")
    kind = next((each for each in kinds if each.stands_at(key)), None)
    try:
        if kind is not None:
            loaded(Key(key.table, key.partition, key.sort, kind.load), item)
    except Unreadable as unreadable:
        return unreadable
    return None


def _described(unreadable: Unreadable) -> str:
    """Where it stands, unless its address is a secret, which is then a digest."""
    key = unreadable.key
    where = f"{key.partition} {key.sort}"
    if key.table is SHAREABLES or "#URL#" in where:
        where = unreadable.digest
    return f"{where} in {key.table.name} ({unreadable.why})"
