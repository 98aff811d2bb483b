"""Writes of the embedded engine, prepared in the event loop and applied by the writer thread."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import apsw

from homeshelf import clock
from homeshelf.table.engine import BadRequest, TransactionCancelled, Unreadable
from homeshelf.table.expressions import Add, Item, Remove, Set, UpdateAction, Value, holds
from homeshelf.table.limits import check_changes, check_item, row_key
from homeshelf.table.operations import Delete, Put, PutInOrder, Update, Write
from homeshelf.table.schema import Table
from homeshelf.table.sqlite.items import STATEMENTS, encode, item_at
from homeshelf.table.values import EXACT

Row = Sequence[Any]


class PreparedWrite(NamedTuple):
    asked: Write
    table: Table
    partition: Any
    sort: Any
    row: Row | None = None
    """The row that a put stores; a put in order replaces it with its id."""
    changes: Sequence[UpdateAction] = ()

    @property
    def looks(self) -> bool:
        return self.asked.when is not None or bool(self.changes)


def prepare_write(write: Write) -> PreparedWrite:
    table, partition, sort = row_key(write)
    if isinstance(write, Update):
        changes = check_changes(table, write.changes)
        return PreparedWrite(write, table, partition, sort, changes=changes)
    row = row_of(table, write.item) if isinstance(write, Put) else None
    return PreparedWrite(write, table, partition, sort, row)


def row_of(table: Table, item: Item) -> Row:
    item = check_item(table, item)
    return STATEMENTS[table.name].row(item, encode(item).decode())


def apply(
    writes: Sequence[PreparedWrite],
    now: int,
    connection: apsw.Connection,
    *,
    returning: bool = False,
) -> list[Item | None]:
    """Check every condition, then write; if one fails, nothing is written."""
    # The file is locked here, so the ids have the order of the writes.
    numbered = [_numbered(each) for each in writes]
    found: list[Item | None] = []
    failures: list[tuple[Write, Item | None]] = []
    for each in numbered:
        current = _found(each, now, connection) if returning or each.looks else None
        found.append(current)
        if not holds(each.asked.when, current) or (each.changes and current is None):
            failures.append((each.asked, current))
    if failures:
        raise TransactionCancelled(failures)
    rows = [
        row_of(each.table, _changed(current or {}, each.changes)) if each.changes else each.row
        for each, current in zip(numbered, found, strict=True)
    ]
    for each, row in zip(numbered, rows, strict=True):
        if row is not None:
            connection.execute(STATEMENTS[each.table.name].put, row)
        elif isinstance(each.asked, Delete):
            connection.execute(STATEMENTS[each.table.name].delete, (each.partition, each.sort))
    return found


def _numbered(prepared: PreparedWrite) -> PreparedWrite:
    put = prepared.asked
    if not isinstance(put, PutInOrder):
        return prepared
    table, item = put.table, put.numbered_item(clock.ordered_id())
    return PreparedWrite(put, table, item[table.partition], item[table.sort], row_of(table, item))


def _found(prepared: PreparedWrite, now: int, connection: apsw.Connection) -> Item | None:
    try:
        return item_at(connection, prepared.table, prepared.partition, prepared.sort, now)
    except Unreadable:
        if prepared.looks:
            raise
        return None


def _changed(item: Item, changes: Sequence[UpdateAction]) -> dict[str, Value]:
    changed = dict(item)
    for change in changes:
        match change:
            case Set(name, value):
                changed[name] = value
            case Remove(name):
                changed.pop(name, None)
            case Add(name, amount):
                before = changed.get(name, 0)
                if isinstance(before, bool) or not isinstance(before, int | Decimal):
                    raise BadRequest(f"{name} is no number")
                changed[name] = EXACT.add(Decimal(before), Decimal(amount))
    return changed
