"""A page of a shelf, by what one is looking for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from homeshelf.books import store
from homeshelf.books.model import STATUSES, Book, Status
from homeshelf.coordination.merging import merged
from homeshelf.table import Database, Query
from homeshelf.web.wording import plain

Sort = Literal["updatedAt_desc", "updatedAt_asc", "title"]
Mark = Any
"""Where a page ended; what it looks like depends on what was wanted."""


@dataclass(frozen=True)
class Wanted:
    status: Status | None = None
    sort: Sort = "updatedAt_desc"
    q: str | None = None


async def listed(
    db: Database, user_id: str, wanted: Wanted, limit: int, mark: Mark
) -> tuple[list[Book], Mark]:
    """A page of books and where it ended. Only titles and a search read the whole shelf."""
    if wanted.q or wanted.sort == "title":
        return await _looked_through(db, user_id, wanted, limit, mark)
    newest_first = wanted.sort == "updatedAt_desc"

    def question(status: Status) -> Callable[[str | None], Query[Book]]:
        if newest_first:
            return lambda last: store.touched_until(user_id, status, last).newest_first()
        return lambda first: store.touched_from(user_id, status, first)

    if wanted.status is not None:
        page = await db.query(question(wanted.status)(None).page(limit, mark))
        return list(page.items), page.next
    questions = [question(status) for status in STATUSES]
    return await merged(
        db, questions, lambda it: it.updated_at, limit, mark, descending=newest_first
    )


async def _looked_through(
    db: Database, user_id: str, wanted: Wanted, limit: int, mark: Mark
) -> tuple[list[Book], Mark]:
    """Items are sorted as they are stored, and only those of the page become records."""
    whole: Query[Any] = store.shelf(user_id).up_to_date()
    query = replace(whole, load=dict)
    if test := _test(wanted):
        query = query.matching(test)
    descending = wanted.sort == "updatedAt_desc"
    by = "title" if wanted.sort == "title" else "updatedAt"
    found = [(_place(item[by], item["id"], wanted.sort), item) for item in await db.all(query)]
    found.sort(key=lambda each: each[0], reverse=descending)
    if mark is not None:
        end = _place(mark[-2], mark[-1], wanted.sort)
        found = [it for it in found if (it[0] < end if descending else it[0] > end)]
    page = found[:limit]
    return [Book.load(item) for _, item in page], page[-1][0][-2:] if len(found) > limit else None


def _place(by: str, id_: str, sort: Sort) -> list[str]:
    """Titles as they are read, without case and accents; the id keeps equal ones apart."""
    return [plain(by), by, id_] if sort == "title" else [by, id_]


def _test(wanted: Wanted) -> Callable[[Mapping[str, Any]], bool] | None:
    sought = plain(wanted.q) if wanted.q else None
    if sought is None and wanted.status is None:
        return None

    def fits(item: Mapping[str, Any]) -> bool:
        if wanted.status is not None and item["status"] != wanted.status:
            return False
        named = (item["title"], item.get("author") or "", item.get("isbn") or "")
        return sought is None or any(sought in plain(name) for name in named)

    return fits
