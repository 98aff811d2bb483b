from typing import Annotated, Any

from fastapi import Query, Response

from homeshelf.access import Admin, Member
from homeshelf.errors import or_not_found
from homeshelf.inventory.model import InventoryItem
from homeshelf.places.store import shop
from homeshelf.sentences import _
from homeshelf.shopping import adding, putting_away, store
from homeshelf.shopping.bodies import (
    EntryChange,
    NewEntry,
    PuttingAway,
    StatusChange,
    TakingBack,
)
from homeshelf.shopping.fields import UNASSIGNED, Status, StoreAsked
from homeshelf.shopping.habits import TheHabits
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.table import Query as Question
from homeshelf.web.ids import ShoppingItemId
from homeshelf.web.json import Json, shown
from homeshelf.web.openapi import answers, page_of
from homeshelf.web.paging import PageAsked
from homeshelf.web.requests import api_router
from homeshelf.web.services import Db

router = api_router()

PUT_AWAY = {"shoppingItem": ShoppingListItem, "item": InventoryItem | None}


@router.get("/shopping-list")
@answers(page_of(ShoppingListItem))
async def entries(
    member: Member,
    asked: PageAsked,
    db: Db,
    store_id: Annotated[StoreAsked | None, Query(alias="storeId")] = None,
    status: Status | None = None,
) -> Response:
    query = _question(member.family_id, store_id, status)
    page = await db.query(query.page(asked.limit, asked.start(member.caller)))
    if not page.items and store_id not in (None, UNASSIGNED):
        await _require_store(db, member.family_id, store_id)
    return Json(asked.listed(member.caller, page, shown))


@router.post("/shopping-list", status_code=201)
@answers(ShoppingListItem, 422)
async def add_entry(admin: Admin, body: NewEntry, db: Db) -> Response:
    unit, given = admin.once.unit(db, shown, 201), body.given("force")
    new = await adding.add(unit, admin.family_id, admin.member_id, given, force=body.force)
    return Json(shown(new), 201)


@router.get("/shopping-list/{shoppingItemId}")
@answers(ShoppingListItem)
async def entry(member: Member, shopping_item_id: ShoppingItemId, db: Db) -> Response:
    return Json(shown(or_not_found(await store.entry(db, member.family_id, shopping_item_id))))


@router.patch("/shopping-list/{shoppingItemId}")
@answers(ShoppingListItem)
async def edit_entry(
    admin: Admin, shopping_item_id: ShoppingItemId, body: EntryChange, db: Db
) -> Response:
    key = store.key_of(admin.family_id, shopping_item_id)
    unit = admin.once.unit(db, shown)
    return Json(shown(await store.edit(unit, key, body.version, body.given("version"))))


@router.patch("/shopping-list/{shoppingItemId}/status")
@answers(ShoppingListItem)
async def mark_entry(
    admin: Admin, shopping_item_id: ShoppingItemId, body: StatusChange, db: Db, habits: TheHabits
) -> Response:
    key = store.key_of(admin.family_id, shopping_item_id)
    unit = admin.once.unit(db, shown)
    marked = await store.mark(unit, key, body.version, body.status)
    if marked.version != body.version:
        habits.note(marked)
    return Json(shown(marked))


@router.post("/shopping-list/{shoppingItemId}/put-away")
@answers(PUT_AWAY, 422)
async def put_away(
    admin: Admin, shopping_item_id: ShoppingItemId, body: PuttingAway, db: Db
) -> Response:
    key = store.key_of(admin.family_id, shopping_item_id)
    unit = admin.once.unit(db, _both)
    put = await putting_away.put_away(
        unit, key, body.version, body.quantity, admin.member_id, body.belongs
    )
    return Json(_both(put))


@router.delete("/shopping-list/{shoppingItemId}/put-away")
@answers(PUT_AWAY, 422)
async def take_back(
    admin: Admin, shopping_item_id: ShoppingItemId, body: TakingBack, db: Db
) -> Response:
    key = store.key_of(admin.family_id, shopping_item_id)
    return Json(_both(await putting_away.take_back(db, key, body.version, admin.member_id)))


@router.delete("/shopping-list/{shoppingItemId}", status_code=204)
async def remove_entry(admin: Admin, shopping_item_id: ShoppingItemId, db: Db) -> Response:
    await store.remove(db, store.key_of(admin.family_id, shopping_item_id))
    return Response(status_code=204)


def _question(
    family_id: str, store_id: str | None, status: Status | None
) -> Question[ShoppingListItem]:
    """The one query that finds just these."""
    if store_id is None:
        whole = store.whole_list(family_id).up_to_date()
        return store.with_status(family_id, status) if status else whole
    if status is None:
        here = store.unassigned(family_id)
        return here if store_id == UNASSIGNED else store.at_store(family_id, store_id)
    at = store.pending_at if status == "pending" else store.purchased_at
    return at(family_id, None if store_id == UNASSIGNED else store_id)


async def _require_store(db: Db, family_id: str, store_id: str) -> None:
    """Where nothing is found there: what no store has is not an empty list."""
    or_not_found(await shop(db, family_id, store_id), _("There is no such store."))


def _both(result: putting_away.PutAway) -> dict[str, Any]:
    return {"shoppingItem": shown(result.entry), "item": result.item and shown(result.item)}
