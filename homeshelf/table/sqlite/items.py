"""Reads of items on a connection of the embedded engine."""

from collections.abc import Sequence
from contextlib import closing, suppress
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

import apsw
import msgspec

from homeshelf.table.engine import Unreadable
from homeshelf.table.expressions import Item, Value, holds
from homeshelf.table.operations import Cursor, Key, Page, Query, Shape, item_key, key_in
from homeshelf.table.schema import TABLES, Table
from homeshelf.table.sqlite.statements import Statements, query_values, select

BYTES_AT_ONCE = 512 * 1024
IN_ONE_STATEMENT = 8
DAMAGED = "its text is damaged"

STATEMENTS = {table.name: Statements(table) for table in TABLES}
encode = msgspec.json.Encoder(decimal_format="number").encode
decode = msgspec.json.Decoder(dict[str, Any], float_hook=Decimal).decode


def item_at(
    connection: apsw.Connection, table: Table, partition: Any, sort: Any, now: int
) -> dict[str, Value] | None:
    values = (partition, sort, now) if table.ttl else (partition, sort)
    text = connection.execute(STATEMENTS[table.name].get, values).get
    return None if text is None else _decoded(text, table, partition, sort)


def items_at(connection: apsw.Connection, keys: Sequence[Key[Any]], now: int) -> list[Item | None]:
    """Read several items by one statement, because each statement takes its own locks."""
    found: list[Item | None] = []
    for first in range(0, len(keys), IN_ONE_STATEMENT):
        some = keys[first : first + IN_ONE_STATEMENT]
        values: list[Any] = []
        for key in some:
            values += (key.partition, key.sort)
            if key.table.ttl:
                values.append(now)
        with open_rows(connection, _get_each(tuple([key.table for key in some])), values) as row:
            texts = next(row)
        found += [
            None if text is None else _decoded(text, key.table, key.partition, key.sort)
            for text, key in zip(texts, some, strict=True)
        ]
    return found


@lru_cache(256)
def _get_each(tables: tuple[Table, ...]) -> str:
    return f"SELECT {', '.join(f'({STATEMENTS[table.name].get})' for table in tables)}"


def _decoded(text: str, table: Table, partition: Any, sort: Any) -> dict[str, Value]:
    try:
        return decode(text)
    except msgspec.DecodeError:
        raise Unreadable(item_key(table, partition, sort), DAMAGED) from None


class ItemBatch(NamedTuple):
    items: list[Any]
    seen: int
    ended: Cursor | None = None
    """The place of the last item, unless all records were examined."""
    is_full: bool = False
    """True if more records follow that do not fit on the page."""
    start: Cursor | None = None


def read_some(
    query: Query[Any],
    room: int | None,
    rows: int,
    now: int,
    unreadable: list[Key[Any]],
    connection: apsw.Connection,
) -> ItemBatch:
    shape = query.shape
    if shape is not None and query.predicate is None and query.filter == shape.implies:
        with suppress(msgspec.DecodeError):  # a record has another shape or is damaged
            return _read_alike(query, shape, room, rows, now, connection)
    found: list[Any] = []
    seen, size, last, ended = 0, 0, None, None
    with open_rows(connection, select(query), query_values(query, now)) as cursor:
        for text, row in cursor:
            if size > BYTES_AT_ONCE or seen == rows:
                start = _place(connection, query, last)
                return ItemBatch(found, seen, _place(connection, query, ended), start=start)
            seen += 1
            size += len(text)
            last = row
            try:
                item = decode(text)
            except msgspec.DecodeError:
                keys = keys_of_row(connection, query.table, row)
                unreadable.append(key_in(query.table, keys))
                continue
            if holds(query.filter, item) and (query.predicate is None or query.predicate(item)):
                if len(found) == room:
                    return ItemBatch(found, seen, _place(connection, query, ended), is_full=True)
                found.append(item)
                ended = row
    return ItemBatch(found, seen)


def _read_alike(
    query: Query[Any],
    shape: Shape,
    room: int | None,
    rows: int,
    now: int,
    connection: apsw.Connection,
) -> ItemBatch:
    """Read records of one shape together, from their shortest rows."""
    most = rows if room is None else min(room, rows)
    statement = f"{select(query, 'item')} LIMIT {most + 1}"
    read = [text for (text,) in connection.execute(statement, query_values(query, now))]
    found = shape.decode(read)
    if len(read) <= most:
        return ItemBatch(found, len(read))
    found.pop()  # it was only read because it might have another shape
    last = decode(read[-2]) if most else None
    ended = last and {name: last[name] for name in query.cursor_attributes}
    if most == room:
        return ItemBatch(found, len(read), ended, is_full=True)
    return ItemBatch(found, len(read), ended, start=ended)


def _place(connection: apsw.Connection, query: Query[Any], row: int | None) -> Cursor | None:
    if row is None:
        return None
    keys = keys_of_row(connection, query.table, row)
    return {name: keys[name] for name in query.cursor_attributes}


def keys_of_row(connection: apsw.Connection, table: Table, row: int) -> dict[str, Any]:
    statements = STATEMENTS[table.name]
    with open_rows(connection, statements.keys_of_row, (row,)) as found:
        return dict(zip(statements.columns, next(found), strict=True))


def scan(
    connection: apsw.Connection, table: Table, limit: int, start: Cursor | None, now: int
) -> Page[Item]:
    statements = STATEMENTS[table.name]
    after = [start[table.partition], start[table.sort]] if start else []
    values = [*after, *([now] if table.ttl else []), limit + 1]
    items: list[Item] = []
    unreadable: list[Key[Item]] = []
    last: dict[str, Any] = {}
    with open_rows(connection, statements.scan_after if start else statements.scan, values) as rows:
        for text, row in rows:
            if len(items) + len(unreadable) == limit:
                return Page(items, key_in(table, last).attributes, unreadable)
            try:
                last = decode(text)
                items.append(last)
            except msgspec.DecodeError:
                last = keys_of_row(connection, table, row)
                unreadable.append(key_in(table, last))
    return Page(items, None, unreadable)


def open_rows(
    connection: apsw.Connection, sql: str, values: Sequence[Any] = ()
) -> closing[apsw.Cursor]:
    """Open a cursor for a `with` block; left open, it would hold on to its snapshot."""
    return closing(connection.execute(sql, values))
