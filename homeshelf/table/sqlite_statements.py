"""The SQL of the embedded engine."""

from functools import lru_cache
from typing import Any

from homeshelf.table.expressions import Item
from homeshelf.table.operations import HIGHEST, Between, Equals, Prefix, Query
from homeshelf.table.schema import Table
from homeshelf.table.sqlite_file import quoted


class Statements:
    """The statements of one table, each written once so that SQLite prepares it once."""

    def __init__(self, table: Table) -> None:
        name, pk, sk = quoted(table.name), quoted(table.partition), quoted(table.sort)
        self.columns = [*table.key_attributes, *([table.ttl] if table.ttl else [])]
        columns = [quoted(column) for column in self.columns]
        live = f" AND {_alive(table)}" if table.ttl else ""
        overwritten = [*columns[2:], "item"]
        self.get_any = f"SELECT item FROM {name} WHERE {pk} = ? AND {sk} = ?"
        self.get = self.get_any + live
        self.put = (
            f"INSERT INTO {name}({', '.join(columns)}, item) "
            f"VALUES ({', '.join('?' * (len(columns) + 1))}) ON CONFLICT({pk}, {sk}) "
            f"DO UPDATE SET {', '.join(f'{c} = excluded.{c}' for c in overwritten)}"
        )
        self.delete = f"DELETE FROM {name} WHERE {pk} = ? AND {sk} = ?"
        order = f" ORDER BY {pk}, {sk} LIMIT ?"
        self.scan = f"SELECT item FROM {name} WHERE 1{live}{order}"
        self.scan_after = f"SELECT item FROM {name} WHERE ({pk}, {sk}) > (?, ?){live}{order}"
        ttl = quoted(table.ttl or "")
        self.sweep = (
            f"DELETE FROM {name} WHERE rowid IN "
            f"(SELECT rowid FROM {name} WHERE {ttl} <= ? ORDER BY {ttl} LIMIT ?)"
        )

    def row(self, item: Item, text: str) -> list[Any]:
        return [*map(item.get, self.columns), text]


def select(query: Query[Any]) -> str:
    bounded = type(query.sort).__name__
    if isinstance(query.sort, Prefix) and after_prefix(query.sort.value) is None:
        bounded = "From"
    return _select(
        query.table, query.index, bounded, query.descending, going_on=query.start is not None
    )


def selected(query: Query[Any], now: int) -> list[Any]:
    """What the question marks of `select` stand for."""
    values: list[Any] = [query.partition]
    match query.sort:
        case Equals(value):
            values.append(value)
        case Prefix(value):
            values.append(value)
            if (end := after_prefix(value)) is not None:
                values.append(end)
        case Between(low, high):
            values += [low, high]
    if query.table.ttl:
        values.append(now)
    if query.start is not None:
        values += [query.start[name] for name in query.cursor_attributes[1:]]
    return values


def after_prefix(prefix: str) -> str | None:
    """The first text after everything that begins so, in the order of UTF-8 bytes."""
    prefix = prefix.rstrip(HIGHEST)
    if not prefix:
        return None
    last = ord(prefix[-1]) + 1
    return prefix[:-1] + chr(0xE000 if last == 0xD800 else last)


@lru_cache(256)
def _select(
    table: Table, index: str | None, bounded: str, descending: bool, *, going_on: bool
) -> str:
    found = table.index(index) if index else table
    partition, sort = quoted(found.partition), quoted(found.sort)
    order = [sort]
    if index:
        order += [quoted(table.partition), quoted(table.sort)]
    where = [f"{partition} = ?"]
    match bounded:
        case "Equals":
            where.append(f"{sort} = ?")
        case "Prefix":
            where.append(f"{sort} >= ? AND {sort} < ?")
        case "From":
            where.append(f"{sort} >= ?")
        case "Between":
            where.append(f"{sort} BETWEEN ? AND ?")
        case _:
            where.append(f"{sort} IS NOT NULL")
    if table.ttl:
        where.append(_alive(table))
    if going_on:
        marks = ", ".join("?" * len(order))
        where.append(f"({', '.join(order)}) {'<' if descending else '>'} ({marks})")
    direction = " DESC" if descending else ""
    return (
        f"SELECT item FROM {quoted(table.name)} WHERE {' AND '.join(where)} "  # our names
        f"ORDER BY {', '.join(column + direction for column in order)}"
    )


def _alive(table: Table) -> str:
    ttl = quoted(table.ttl or "")
    return f"({ttl} IS NULL OR {ttl} > ?)"
