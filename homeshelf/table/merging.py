"""One list out of several queries, newest first.

Statuses stand before dates in the keys, so newest-first over all statuses is one query a status,
merged. Ask first for the status that records leave: one that moves meanwhile is then seen twice,
and dropped once, rather than missed.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from homeshelf.table.database import Database
from homeshelf.table.operations import Page, Query
from homeshelf.table.record import Record

R = TypeVar("R", bound=Record)
Mark = tuple[str, str]
"""When a record was made, and its id: where a page ended."""


async def newest_first(
    db: Database,
    queries: Sequence[Callable[[str | None], Query[R]]],
    mark_of: Callable[[R], Mark],
    limit: int,
    after: Mark | None = None,
) -> tuple[list[R], Mark | None]:
    """A page of all of them, and where it ended if more follow.

    Each query is a function of the newest date it may return; None is open.
    """
    found: dict[Mark, R] = {}
    for query in queries:
        asked = query(after[0] if after else None).newest_first()
        for record in await _enough(db, asked, mark_of, limit, after):
            found[mark_of(record)] = record
    marks = sorted(found, reverse=True)
    page = [found[mark] for mark in marks[:limit]]
    return page, marks[limit - 1] if len(marks) > limit else None


async def _enough(
    db: Database,
    query: Query[R],
    mark_of: Callable[[R], Mark],
    limit: int,
    after: Mark | None,
) -> list[R]:
    """The newest records before the mark: more than a page, down to the end of a moment.

    Records of the same moment come in no order, so a moment is read to its end before it is cut.
    """
    records: list[R] = []
    asked = query.page(limit + 1)
    while True:
        page: Page[R] = await db.query(asked)
        records += [each for each in page.items if after is None or mark_of(each) < after]
        if page.next is None:
            return records
        if len(records) > limit:
            last_shown = sorted(map(mark_of, records), reverse=True)[limit - 1]
            if mark_of(page.items[-1])[0] < last_shown[0]:
                return records
        asked = replace(asked, start=page.next)
