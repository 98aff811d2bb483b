"""The SQL of the embedded engine."""

from functools import lru_cache
from typing import Any

from homeshelf.table.expressions import Item
from homeshelf.table.operations import HIGHEST, Between, Equals, KeyValue, Prefix, Query
from homeshelf.table.schema import Table
from homeshelf.table.sqlite.file import quoted


class Statements:
    """The statements of one table, as constants so that SQLite prepares them only once."""

    def __init__(self, table: Table) -> None:
        name, pk, sk = quoted(table.name), quoted(table.partition), quoted(table.sort)
        self.columns = [*table.key_attributes, *([table.ttl] if table.ttl else [])]
        columns = [quoted(column) for column in self.columns]
        live = f" AND {_alive(table)}" if table.ttl else ""
        overwritten = [*columns[2:], "item"]
        self.get = f"SELECT item FROM {name} WHERE {pk} = ? AND {sk} = ?{live}"
        self.put = (
            f"INSERT INTO {name}({', '.join(columns)}, item) "
            f"VALUES ({', '.join('?' * (len(columns) + 1))}) ON CONFLICT({pk}, {sk}) "
            f"DO UPDATE SET {', '.join(f'{c} = excluded.{c}' for c in overwritten)}"
        )
        self.delete = f"DELETE FROM {name} WHERE {pk} = ? AND {sk} = ?"
        order = f" ORDER BY {pk}, {sk} LIMIT ?"
        self.keys_of_row = f"SELECT {', '.join(columns)} FROM {name} WHERE rowid = ?"
        self.scan = f"SELECT item, rowid FROM {name} WHERE 1{live}{order}"
        self.scan_after = f"SELECT item, rowid FROM {name} WHERE ({pk}, {sk}) > (?, ?){live}{order}"
        ttl = quoted(table.ttl or "")
        self.sweep = (
            f"DELETE FROM {name} WHERE rowid IN "
            f"(SELECT rowid FROM {name} WHERE {ttl} <= ? ORDER BY {ttl} LIMIT ?)"
        )
        # This uses the index of expiry: few records expire at a moment, but the partitions hold an
        # hour's.
        self.keys_expiring = (
            f"SELECT {pk}, {sk} FROM {name} INDEXED BY {quoted(table.name + '.ttl')} "
            f"WHERE {ttl} BETWEEN ? AND ? AND +{pk} >= ? AND +{pk} < ?"
        )

    def row(self, item: Item, text: str) -> list[Any]:
        return [*map(item.get, self.columns), text]


def select(query: Query[Any], columns: str = "item, rowid") -> str:
    table, index, descending = query.table, query.index, query.descending
    operators, _ = _bounds(query)
    found = _found(table, index, operators, descending, going_on=query.start is not None)
    return f"SELECT {columns} {found} {_order(table, index, descending)}"


def query_values(query: Query[Any], now: int) -> list[Any]:
    operators, bounds = _bounds(query)
    values: list[Any] = [query.partition, *bounds]
    if query.table.ttl:
        values.append(now)
    if query.start is not None:
        values += [query.start[name] for name in _after(query.table, query.index, operators)]
    return values


def after_prefix(prefix: str) -> str | None:
    """Return the first text after all with this prefix, in the order of UTF-8 bytes."""
    prefix = prefix.rstrip(HIGHEST)
    if not prefix:
        return None
    last = ord(prefix[-1]) + 1
    return prefix[:-1] + chr(0xE000 if last == 0xD800 else last)


def _bounds(query: Query[Any]) -> tuple[tuple[str, ...], tuple[KeyValue, ...]]:
    """Return the operators and values for the sort key.

    The start of a page replaces the bound on its side, because SQLite seeks only by the first of
    two bounds and would read all earlier pages.
    """
    sort = query.sort
    if isinstance(sort, Equals):
        return ("=",), (sort.value,)
    bounds: list[tuple[str, KeyValue]] = []
    if isinstance(sort, Between):
        bounds = [(">=", sort.low), ("<=", sort.high)]
    elif isinstance(sort, Prefix):
        bounds = [(">=", sort.value)]
        if (end := after_prefix(sort.value)) is not None:
            bounds.append(("<", end))
    if query.start is not None:
        replaced = "<" if query.descending else ">"
        bounds = [bound for bound in bounds if not bound[0].startswith(replaced)]
    return tuple(operator for operator, _ in bounds), tuple(value for _, value in bounds)


def _after(table: Table, index: str | None, operators: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns of a page's start, without those that are constant."""
    if not index:
        return (table.sort,)
    base = (table.partition, table.sort)
    return base if operators == ("=",) else (table.index(index).sort, *base)


@lru_cache(256)
def _found(
    table: Table, index: str | None, operators: tuple[str, ...], descending: bool, *, going_on: bool
) -> str:
    found = table.index(index) if index else table
    sort = quoted(found.sort)
    where = [f"{quoted(found.partition)} = ?", *(f"{sort} {operator} ?" for operator in operators)]
    if not operators:
        where.append(f"{sort} IS NOT NULL")  # tells SQLite that the partial index has all of them
    if table.ttl:
        where.append(_alive(table))
    if going_on:
        after = _after(table, index, operators)
        marks, names = ", ".join("?" * len(after)), ", ".join(map(quoted, after))
        where.append(f"({names}) {'<' if descending else '>'} ({marks})")
    return f"FROM {quoted(table.name)} WHERE {' AND '.join(where)}"


@lru_cache(256)
def _order(table: Table, index: str | None, descending: bool) -> str:
    columns = [table.index(index).sort, table.partition, table.sort] if index else [table.sort]
    direction = " DESC" if descending else ""
    return f"ORDER BY {', '.join(quoted(column) + direction for column in columns)}"


def _alive(table: Table) -> str:
    ttl = quoted(table.ttl or "")
    return f"({ttl} IS NULL OR {ttl} > ?)"
