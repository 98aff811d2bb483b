from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import Query, Response

from homeshelf import clock
from homeshelf.access import Admin, InFamily, Member
from homeshelf.coordination.todos import Todo
from homeshelf.coordination.transaction import existing
from homeshelf.errors import or_not_found
from homeshelf.inventory import barcodes, batches, store
from homeshelf.inventory.bodies import Adjustment, ItemChange, NewItem, NewItems
from homeshelf.inventory.fields import ItemId, Location, Store
from homeshelf.inventory.item_list import ItemFilter, list_items
from homeshelf.inventory.item_observer import ItemObserver
from homeshelf.inventory.model import InventoryItem, ItemStatus, QuantityChange, new_item
from homeshelf.table import Database, as_json
from homeshelf.web.body import Empty
from homeshelf.web.body_limits import BodyLimits, body_limits
from homeshelf.web.json import Json, shown
from homeshelf.web.openapi import operation_responses, page_of
from homeshelf.web.paging import PageAsked
from homeshelf.web.requests import api_router
from homeshelf.web.services import Db, TheServices

router = api_router()


@router.get("/items", responses=operation_responses(page_of(InventoryItem)))
async def items(
    member: Member,
    asked: PageAsked,
    db: Db,
    status: Literal["active", "archived", "all"] = "active",
    low_stock: Annotated[bool, Query(alias="lowStock")] = False,
    location_id: Annotated[Location | None, Query(alias="locationId")] = None,
    store_id: Annotated[Store | None, Query(alias="storeId")] = None,
    q: Annotated[str | None, Query(min_length=1, max_length=100)] = None,
) -> Response:
    found, after = await list_items(
        db,
        member.family_id,
        ItemFilter(status, low_stock, location_id, store_id, q),
        asked.limit,
        asked.start(member.caller),
        as_json,
    )
    return Json(asked.envelope(member.caller, found, after))


@router.post("/items", status_code=201, responses=operation_responses(InventoryItem, status=201))
async def add_item(admin: Admin, body: NewItem, db: Db) -> Response:
    new = new_item(admin.family_id, admin.member_id, body.given())
    return await admin.request.respond(db, lambda unit: store.add(unit, new), status=201)


@router.post(
    "/items/batch",
    status_code=201,
    responses=operation_responses({"items": [InventoryItem]}, status=201),
)
@body_limits(BodyLimits(errors=1000))
async def add_items(admin: Admin, body: NewItems, services: TheServices) -> Response:
    """Store only the ids, because a response with a hundred items is too large."""
    at, family_id = clock.timestamp(), admin.family_id
    new = [new_item(family_id, admin.member_id, it.given(), at) for it in body.items]

    async def add(unit: Database) -> Sequence[Todo]:
        body.require_distinct()
        chosen_ids = [item.item_id for item in body.items if item.item_id]
        return await batches.add_items(services, unit, admin.member_id, new, chosen_ids)

    def ids(_todos: Sequence[Todo]) -> dict[str, Any]:
        return {"familyId": family_id, "itemIds": [item.item_id for item in new]}

    async def load_items(stored: dict[str, Any], _todos: Sequence[Todo] | None) -> dict[str, Any]:
        items = await batches.wait_for_items(services.db, stored["familyId"], stored["itemIds"])
        return {"items": [shown(item) for item in items]}

    return await admin.request.respond(services.db, add, ids, 201, add_secret=load_items)


@router.get("/items/by-barcode/{code}", responses=operation_responses(InventoryItem))
async def item_by_barcode(member: Member, code: str, db: Db) -> Response:
    """Find archived items too, so that a scanned one is not reported as unknown."""
    found = await barcodes.find_by_barcode(db, member.family_id, code)
    return Json(shown(or_not_found(found)))


@router.get("/items/{itemId}", responses=operation_responses(InventoryItem))
async def item(member: Member, item_id: ItemId, db: Db) -> Response:
    return Json(shown(await existing(db, store.key_of(member.family_id, item_id))))


@router.patch("/items/{itemId}", responses=operation_responses(InventoryItem))
async def edit_item(
    admin: Admin, item_id: ItemId, body: ItemChange, services: TheServices
) -> Response:
    return await admin.request.respond(
        services.db,
        lambda unit: store.edit(
            unit,
            store.key_of(admin.family_id, item_id),
            body.version,
            body.given("version"),
            services.all(ItemObserver),
        ),
    )


@router.delete("/items/{itemId}", status_code=204)
async def remove_item(admin: Admin, item_id: ItemId, services: TheServices) -> None:
    key = store.key_of(admin.family_id, item_id)
    await store.remove(services.db, key, services.all(ItemObserver), admin.member_id)


@router.post(
    "/items/{itemId}/adjust",
    responses=operation_responses({"item": InventoryItem, "applied": int}, 422),
)
async def adjust_item(admin: Admin, item_id: ItemId, body: Adjustment, db: Db) -> Response:
    key = store.key_of(admin.family_id, item_id)
    return await admin.request.respond(
        db,
        lambda unit: store.adjust(unit, key, body.delta, "adjust", admin.member_id),
        lambda result: {"item": shown(result.item), "applied": result.applied},
    )


@router.get("/items/{itemId}/history", responses=operation_responses(page_of(QuantityChange)))
async def history(member: Member, item_id: ItemId, asked: PageAsked, db: Db) -> Response:
    await existing(db, store.key_of(member.family_id, item_id))
    return await asked.answer(db, member.caller, store.history_of(member.family_id, item_id))


@router.post("/items/{itemId}/archive", responses=operation_responses(InventoryItem))
async def archive_item(admin: Admin, item_id: ItemId, db: Db, _nothing: Empty = None) -> Response:
    return await _set_status(admin, item_id, db, "archived")


@router.post("/items/{itemId}/unarchive", responses=operation_responses(InventoryItem))
async def unarchive_item(admin: Admin, item_id: ItemId, db: Db, _nothing: Empty = None) -> Response:
    return await _set_status(admin, item_id, db, "active")


async def _set_status(admin: InFamily, item_id: str, db: Database, status: ItemStatus) -> Response:
    key = store.key_of(admin.family_id, item_id)
    return await admin.request.respond(db, lambda unit: store.set_status(unit, key, status))
