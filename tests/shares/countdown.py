"""A second kind of shared list for tests: a countdown to a day."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from fastapi import Depends, Response
from starlette.responses import HTMLResponse

from homeshelf import app
from homeshelf.access.view import Visitor
from homeshelf.commands import files
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.errors import Invalid
from homeshelf.shares import kind as shareable_kind
from homeshelf.shares import slice_of
from homeshelf.shares.access import MANAGE
from homeshelf.shares.bodies import NewShareable
from homeshelf.shares.dependencies import AccessibleList, require_list
from homeshelf.shares.kind import ShareableKind
from homeshelf.shares.kinds import KINDS
from homeshelf.shares.list_schema import list_api_router
from homeshelf.shares.model import ChildRecord, ListContent, Shareable
from homeshelf.shares.store import get_list, load_list
from homeshelf.table import Database, Key, Keys, Query, Sparse
from homeshelf.web.body import FieldRule, NewBody
from homeshelf.web.json import Json, shown
from homeshelf.web.openapi import operation_responses
from homeshelf.web.services import Db
from tests.routes import forget_document

ENTITY: Literal["countdown"] = "countdown"


@dataclass(frozen=True)
class NewDay:
    day: str
    name: str = ""
    note: str | None = None


class Day(ChildRecord):
    keys = Keys(pk="countdown_day#{shortId:bare}", sk="01#")
    private = frozenset({"short_id", "ttl"})

    day: str
    version: int = 1
    ttl: Sparse[int] = None


class DayBody(NewBody):
    day: Annotated[str, FieldRule("A day looks like 2026-12-24.")]


class NewCountdown(NewShareable):
    entity: Literal["countdown"]
    day: Annotated[str, FieldRule("A day looks like 2026-12-24.")]

    @property
    def content(self) -> ListContent:
        return replace(super().content, entity=self.entity, items=(NewDay(self.day),))


def day_query(short_id: str) -> Query[Day]:
    return Day.where(short_id=short_id)


@transaction
async def move_day(tx: Transaction, key: Key[Shareable], day: str) -> None:
    shared = await get_list(tx.db, key)
    (old,) = (await load_list(tx.db, shared)).items
    tx.replace(shared, shared.with_next_version())
    tx.replace(old, old.changed(day=day, version=old.version + 1))


router = list_api_router()


@router.put("/shareables/{shortId}/day", responses=operation_responses({"day": str}))
async def move(
    target: Annotated[AccessibleList, Depends(require_list(MANAGE, entity=ENTITY))],
    body: DayBody,
    db: Db,
) -> Response:
    try:
        date.fromisoformat(body.day)
    except ValueError:
        raise Invalid([("day", "A day looks like 2026-12-24.")]) from None
    await move_day(db, target.shared.own_key(), body.day)
    return Json({"day": body.day})


def _new_days(shared: Shareable, days: Sequence[NewDay]) -> list[Day]:
    return [Day(short_id=shared.short_id, day=each.day, ttl=shared.ttl) for each in days]


def _copy_days(days: Sequence[Day]) -> tuple[NewDay, ...]:
    return tuple(NewDay(each.day) for each in days)


def _render_days(days: Sequence[Day]) -> dict[str, Any]:
    (day,) = days
    return {"day": day.day, "dayVersion": shown(day)["version"]}


async def _show_page(view: Visitor, target: AccessibleList, said: str) -> Response:
    (day,) = (await load_list(view.db, target.shared)).items
    return HTMLResponse(f"<h1>{target.shared.name} on {day.day}</h1>{said}")


COUNTDOWN = ShareableKind(
    entity=ENTITY,
    records={Day: day_query},
    body=NewCountdown,
    new_children=_new_days,
    sort_children=tuple,
    copy_children=_copy_days,
    render_children=_render_days,
    children_schema={"day": str, "dayVersion": int},
    show_page=_show_page,
    messages={"moved": "It is on another day."},
    api=[router],
)


@contextmanager
def kinds_of_shareables(*kinds: ShareableKind) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for each in kinds:
            patch.setitem(shareable_kind._kinds, each.entity, each)
        shares = slice_of((*KINDS, *kinds))
        slices = tuple(shares if each.name == shares.name else each for each in app.SLICES)
        for module in (app, files):
            patch.setattr(module, "SLICES", slices)
        forget_document()
        yield
    forget_document()


async def load_days(db: Database, short_id: str) -> list[Day]:
    return [*await db.all(day_query(short_id).up_to_date())]
