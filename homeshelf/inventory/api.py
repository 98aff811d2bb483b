from typing import Annotated, Any, Literal

from fastapi import Query, Response

from homeshelf import clock
from homeshelf.access import Admin, Member
from homeshelf.errors import or_not_found
from homeshelf.inventory import store
from homeshelf.inventory.adjustments import Adjusted
from homeshelf.inventory.bodies import Adjustment, ItemChange, NewItem
from homeshelf.inventory.fields import Location, Store
from homeshelf.inventory.following import FollowingItems
from homeshelf.inventory.listing import Wanted, listed
from homeshelf.inventory.model import InventoryItem, QuantityChange
from homeshelf.web.body import Empty
from homeshelf.web.ids import ItemId
from homeshelf.web.json import Json, shown
from homeshelf.web.openapi import answers, page_of
from homeshelf.web.paging import PageAsked
from homeshelf.web.requests import api_router
from homeshelf.web.services import Db

router = api_router()


@router.get("/items")
@answers(page_of(InventoryItem))
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
    wanted = Wanted(status, low_stock, location_id, store_id, q)
    mark: Any = asked.start(member.caller)
    found, after = await listed(db, member.family_id, wanted, asked.limit, mark)
    return Json(asked.envelope(member.caller, [shown(item) for item in found], after))


@router.post("/items", status_code=201)
@answers(InventoryItem)
async def add_item(admin: Admin, body: NewItem, db: Db) -> Response:
    now = clock.timestamp()
    new = InventoryItem(
        item_id=clock.new_id(),
        family_id=admin.family_id,
        created_by=admin.member_id,
        created_at=now,
        updated_at=now,
        **body.given(),
    )
    return Json(shown(await store.add(admin.once.unit(db, shown, 201), new)), 201)


@router.get("/items/{itemId}")
@answers(InventoryItem)
async def item(member: Member, item_id: ItemId, db: Db) -> Response:
    return Json(shown(or_not_found(await store.item(db, member.family_id, item_id))))


@router.patch("/items/{itemId}")
@answers(InventoryItem)
async def edit_item(
    admin: Admin, item_id: ItemId, body: ItemChange, db: Db, following: FollowingItems
) -> Response:
    unit, key = admin.once.unit(db, shown), store.key_of(admin.family_id, item_id)
    new = await store.edit(unit, key, body.version, body.given("version"), following)
    return Json(shown(new))


@router.delete("/items/{itemId}", status_code=204)
async def remove_item(admin: Admin, item_id: ItemId, db: Db, following: FollowingItems) -> Response:
    await store.remove(db, store.key_of(admin.family_id, item_id), following, admin.member_id)
    return Response(status_code=204)


@router.post("/items/{itemId}/adjust")
@answers({"item": InventoryItem, "applied": int}, 422)
async def adjust_item(admin: Admin, item_id: ItemId, body: Adjustment, db: Db) -> Response:
    unit, key = admin.once.unit(db, _adjusted), store.key_of(admin.family_id, item_id)
    return Json(_adjusted(await store.adjust(unit, key, body.delta, "adjust", admin.member_id)))


@router.get("/items/{itemId}/history")
@answers(page_of(QuantityChange))
async def history(member: Member, item_id: ItemId, asked: PageAsked, db: Db) -> Response:
    or_not_found(await store.item(db, member.family_id, item_id))
    query = store.history_of(member.family_id, item_id)
    page = await db.query(query.page(asked.limit, asked.start(member.caller)))
    return Json(asked.listed(member.caller, page, shown))


@router.post("/items/{itemId}/archive")
@answers(InventoryItem)
async def archive_item(admin: Admin, item_id: ItemId, db: Db, _nothing: Empty = None) -> Response:
    unit, key = admin.once.unit(db, shown), store.key_of(admin.family_id, item_id)
    return Json(shown(await store.archive(unit, key)))


@router.post("/items/{itemId}/unarchive")
@answers(InventoryItem)
async def unarchive_item(admin: Admin, item_id: ItemId, db: Db, _nothing: Empty = None) -> Response:
    unit, key = admin.once.unit(db, shown), store.key_of(admin.family_id, item_id)
    return Json(shown(await store.unarchive(unit, key)))


def _adjusted(result: Adjusted) -> dict[str, Any]:
    return {"item": shown(result.item), "applied": result.applied}
