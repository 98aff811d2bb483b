"""Pages that merge several queries, such as one for each status."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from heapq import merge
from typing import Any, TypeVar

from homeshelf.table import Database, Page, Query, Record

R = TypeVar("R", bound=Record)
T = TypeVar("T")
Mark = tuple[str, str]


async def merged(
    db: Database,
    queries: Sequence[Callable[[Any], Query[R]]],
    rank: Callable[[R], Any],
    limit: int,
    after: Sequence[Any] | None = None,
    *,
    descending: bool = False,
) -> tuple[list[R], Sequence[Any] | None]:
    """Return a page of queries that are each in the order of `rank`, and the rank where it ends.

    Each query is a function of the rank to start at, or None. It reads at most one page of each
    query.
    """
    low, starts = after or (None, [None] * len(queries))
    pages = [
        await db.query(query(low).page(limit, start))
        for query, start in zip(queries, starts, strict=True)
    ]
    found: dict[object, R] = {}
    used = [0] * len(pages)
    streams = [[(record, which) for record in page.items] for which, page in enumerate(pages)]
    for record, which in merge(*streams, key=lambda each: rank(each[0]), reverse=descending):
        if len(found) == limit:
            break
        used[which] += 1
        found.setdefault(record.own_key(), record)  # a record may move from one query to the other
    shown = list(found.values())
    if all(page.next is None and len(page.items) == n for page, n in zip(pages, used, strict=True)):
        return shown, None
    last = rank(shown[-1])
    ends = [start if low == last else None for start in starts]
    for which, count in enumerate(used):
        ended = pages[which].items[count - 1] if count else None
        if ended is not None and rank(ended) == last:
            assert ended.stored is not None  # noqa: S101  # it was read
            names = queries[which](low).cursor_attributes
            ends[which] = {name: ended.stored[name] for name in names}
    return shown, (last, ends)


async def newest_first(
    db: Database,
    queries: Sequence[Callable[[str | None], Query[T]]],
    mark_of: Callable[[T], Mark],
    limit: int,
    after: Sequence[str] | None = None,
) -> tuple[list[T], Mark | None]:
    """Return the newest records of several queries, and the mark where the page ends.

    Pass the query of the status that records leave first: a record that moves meanwhile is then
    found twice rather than missed.
    """
    found: dict[Mark, T] = {}
    mark = tuple(after) if after else None
    for query in queries:
        asked = query(mark[0] if mark else None).newest_first()
        for record in await _enough(db, asked, mark_of, limit, mark):
            found[mark_of(record)] = record
    marks = sorted(found, reverse=True)
    page = [found[mark] for mark in marks[:limit]]
    return page, marks[limit - 1] if len(marks) > limit else None


async def _enough(
    db: Database,
    query: Query[T],
    mark_of: Callable[[T], Mark],
    limit: int,
    after: tuple[str, ...] | None,
) -> list[T]:
    """Read a page, and on to the end of its last millisecond, in which records have no order."""
    records: list[T] = []
    asked = query.page(limit + (2 if after else 1))  # the record at the mark is read again
    while True:
        page: Page[T] = await db.query(asked)
        records += [each for each in page.items if after is None or mark_of(each) < after]
        if page.next is None:
            return records
        if len(records) > limit:
            last_shown = sorted(map(mark_of, records), reverse=True)[limit - 1]
            if mark_of(page.items[-1])[0] < last_shown[0]:
                return records
        asked = replace(asked, start=page.next)
