"""Counting in SQL: what is only counted never becomes a record."""

import re
from typing import Any, NamedTuple

import apsw

from homeshelf.table.expressions import All, Compare, Condition, Exists, OneOf
from homeshelf.table.operations import Query
from homeshelf.table.sqlite.items import reading
from homeshelf.table.sqlite.statements import found_by, selected

PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Matching(NamedTuple):
    """A condition in SQL, and what its question marks stand for."""

    sql: str
    values: tuple[str, ...]


def in_sql(condition: Condition | None) -> Matching | None:
    """The condition, if SQL says exactly the same: that some attributes are certain texts."""
    match condition:
        case None | Exists():
            return Matching("1", ())
        case Compare(attribute, "=", str() as text):
            return _is_one_of(attribute, (text,))
        case OneOf(attribute, values):
            return _is_one_of(attribute, values)
        case All(parts):
            found = [in_sql(part) for part in parts]
            said = [part for part in found if part is not None]
            if len(said) < len(found):
                return None
            texts = tuple(text for part in said for text in part.values)
            return Matching(" AND ".join(part.sql for part in said), texts)
    return None


def count_first(
    query: Query[Any], matching: Matching, rows: int, now: int, connection: apsw.Connection
) -> int | None:
    """Up to the query's limit, if it has one; None where that takes more than so many rows."""
    seen = found = 0
    sql = f"SELECT {matching.sql} {found_by(query)}"
    with reading(connection, sql, [*matching.values, *selected(query, now)]) as answers:
        for (matches,) in answers:
            if seen == rows:
                return None
            seen += 1
            found += bool(matches)
            if found == query.limit:
                break
    return found


def count_all(query: Query[Any], matching: Matching, now: int, connection: apsw.Connection) -> int:
    """Up to the query's limit, if it has one."""
    bindings = [*selected(query, now), *matching.values]
    sql = f"SELECT count(*) {found_by(query)} AND {matching.sql}"
    if query.limit is not None:
        sql = f"SELECT count(*) FROM (SELECT 1 {found_by(query)} AND {matching.sql} LIMIT ?)"  # noqa: S608  # our names
        bindings.append(query.limit)
    return int(connection.execute(sql, bindings).get)


def _is_one_of(attribute: str, values: tuple[object, ...]) -> Matching | None:
    texts = tuple(value for value in values if isinstance(value, str) and _is_comparable(value))
    if len(texts) < len(values) or not PLAIN_NAME.fullmatch(attribute):
        return None
    marks = ", ".join("?" * len(texts))
    return Matching(f"item ->> '$.{attribute}' IN ({marks})", texts)


def _is_comparable(text: str) -> bool:
    """SQLite shows a list or a map as a text, which may then equal one."""
    return not text.startswith(("[", "{"))
