"""The items of a checklist as JSON."""

from collections.abc import Sequence
from typing import Any

from fastapi import Response

from homeshelf.shares.access import MANAGE, Access
from homeshelf.shares.checklist import bodies, store
from homeshelf.shares.checklist.dependencies import ManageableChecklist, TickableChecklist
from homeshelf.shares.checklist.fields import ChecklistItemId, ItemBody
from homeshelf.shares.checklist.model import ChecklistItem
from homeshelf.shares.checklist.ordering import reorder
from homeshelf.shares.list_schema import list_api_router, render_list
from homeshelf.shares.model import Shareable
from homeshelf.table import Database
from homeshelf.web.json import Json, shown
from homeshelf.web.openapi import extended, operation_responses
from homeshelf.web.services import Db

router = list_api_router()

ITEM = extended(ChecklistItem, checked=bool)
LIST = extended(Shareable, access=Access, items=[ITEM])


def render_item(item: ChecklistItem) -> dict[str, Any]:
    return shown(item, checked=bool(item.checked))


def render_items(items: Sequence[ChecklistItem]) -> dict[str, Any]:
    return {"items": [render_item(item) for item in items]}


@router.post(
    "/shareables/{shortId}/items",
    status_code=201,
    responses=operation_responses(ITEM, 422, status=201),
)
async def add_item(target: ManageableChecklist, body: ItemBody, db: Db) -> Response:
    return await target.request.respond(
        db, lambda unit: store.add_item(unit, target.shared.own_key(), body.new), render_item, 201
    )


@router.patch("/shareables/{shortId}/items/{checklistItemId}", responses=operation_responses(ITEM))
async def change_item(
    target: TickableChecklist, item_id: ChecklistItemId, body: bodies.ItemChange, db: Db
) -> Response:
    async def change(unit: Database) -> ChecklistItem:
        if not body.is_edit:
            key = store.item_key(target.shared.short_id, item_id)
            return await store.tick_item(unit, key, body.tick)
        target.require(MANAGE)
        return await store.edit_item(unit, target.shared.own_key(), item_id, body.apply_to)

    return await target.request.respond(db, change, render_item)


@router.delete("/shareables/{shortId}/items/{checklistItemId}", status_code=204)
async def remove_item(target: ManageableChecklist, item_id: ChecklistItemId, db: Db) -> None:
    await store.remove_item(db, target.shared.own_key(), item_id)


@router.put("/shareables/{shortId}/order", responses=operation_responses(LIST))
async def reorder_items(target: ManageableChecklist, body: bodies.Order, db: Db) -> Response:
    found = await reorder(db, target.shared.own_key(), body.checklist_item_ids)
    return Json(render_list(found, target.access))
