"""The items of a checklist as JSON."""

from collections.abc import Sequence
from typing import Any

from fastapi import Response

from homeshelf.shares.access import MANAGE, Access
from homeshelf.shares.checklist import bodies, store
from homeshelf.shares.checklist.fields import ChecklistItemId, ItemBody
from homeshelf.shares.checklist.model import ChecklistItem
from homeshelf.shares.checklist.opening import ManagingChecklist, TickingChecklist
from homeshelf.shares.checklist.ordering import reorder
from homeshelf.shares.model import Shareable
from homeshelf.shares.showing import router_about_list, shown_list
from homeshelf.table import Database
from homeshelf.web.json import Json, shown
from homeshelf.web.openapi import answers, extended
from homeshelf.web.services import Db

router = router_about_list()

ITEM = extended(ChecklistItem, checked=bool)
LIST = extended(Shareable, access=Access, items=[ITEM])


def shown_item(item: ChecklistItem) -> dict[str, Any]:
    return shown(item, checked=bool(item.checked))


def shown_items(items: Sequence[ChecklistItem]) -> dict[str, Any]:
    return {"items": [shown_item(item) for item in items]}


@router.post(
    "/shareables/{shortId}/items", status_code=201, responses=answers(ITEM, 422, status=201)
)
async def add_item(at: ManagingChecklist, body: ItemBody, db: Db) -> Response:
    return await at.request.respond(
        db, lambda unit: store.add_item(unit, at.shared.own_key(), body.new), shown_item, 201
    )


@router.patch("/shareables/{shortId}/items/{checklistItemId}", responses=answers(ITEM))
async def change_item(
    at: TickingChecklist, item_id: ChecklistItemId, body: bodies.ItemChange, db: Db
) -> Response:
    async def change(unit: Database) -> ChecklistItem:
        if not body.edits:
            return await store.tick(unit, at.shared, item_id, body.tick)
        at.require(MANAGE)
        return await store.edit_item(unit, at.shared.own_key(), item_id, body.of)

    return await at.request.respond(db, change, shown_item)


@router.delete("/shareables/{shortId}/items/{checklistItemId}", status_code=204)
async def remove_item(at: ManagingChecklist, item_id: ChecklistItemId, db: Db) -> None:
    await store.remove_item(db, at.shared.own_key(), item_id)


@router.put("/shareables/{shortId}/order", responses=answers(LIST))
async def reordered(at: ManagingChecklist, body: bodies.Order, db: Db) -> Response:
    found = await reorder(db, at.shared.own_key(), body.checklist_item_ids)
    return Json(shown_list(found, at.access))
