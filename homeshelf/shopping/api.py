from dataclasses import asdict
from typing import Annotated, Any, get_type_hints

from fastapi import Query, Response

from homeshelf import clock
from homeshelf.access import Admin, Member, Ticker
from homeshelf.coordination.transaction import existing
from homeshelf.errors import or_not_found
from homeshelf.inventory.low_stock import low_stock_notices
from homeshelf.inventory.model import InventoryItem
from homeshelf.places.store import get_store
from homeshelf.sentences import _
from homeshelf.shopping import entry_creation, purchases, shelf_order, stock_transfer, store
from homeshelf.shopping.bodies import (
    EntryChange,
    NewEntry,
    PuttingAway,
    StatusChange,
    StoreOrder,
    TakingBack,
)
from homeshelf.shopping.fields import UNASSIGNED, ShoppingItemId, Status, StoreFilter, UsualId
from homeshelf.shopping.habits import TheHabits
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.shopping.purchases import camel_case
from homeshelf.table import Query as Question
from homeshelf.table import as_json
from homeshelf.web.json import Json, shown
from homeshelf.web.openapi import operation_responses, page_of
from homeshelf.web.paging import PageAsked
from homeshelf.web.requests import api_router
from homeshelf.web.services import Db

router = api_router()

USUAL = camel_case(get_type_hints(purchases.UsualThing))
ORDER = {"storeId": str, "names": [str]}
Limit = Annotated[int, Query(ge=1, le=100)]
InStore = Annotated[StoreFilter, Query(alias="storeId")]
PUT_AWAY = {"shoppingItem": ShoppingListItem, "item": InventoryItem | None}


@router.get("/shopping-list/usual", responses=operation_responses({"items": [USUAL]}))
async def usual_things(
    member: Member,
    db: Db,
    habits: TheHabits,
    store_id: Annotated[StoreFilter | None, Query(alias="storeId")] = None,
    limit: Limit = 50,
) -> Response:
    await habits.flush()
    family_id = member.family_id
    await require_store(db, family_id, store_id)
    bought = await db.all(purchases.purchases_of(family_id).page(purchases.MAX_PURCHASES))
    listed = await db.all(store.whole_list(family_id).up_to_date())
    low = {notice.item_id for notice in await db.all(low_stock_notices(family_id))}
    things = purchases.without_pending(purchases.rank_things(bought, low, clock.now()), listed)
    if store_id is not None:
        things = [it for it in things if (it.store_id or UNASSIGNED) == store_id]
    offered = await purchases.refresh_things(db, family_id, things, {})
    return Json({"items": [camel_case(asdict(it)) for it in offered[:limit]]})


@router.delete("/shopping-list/usual/{usualId}", status_code=204)
async def forget_usual(admin: Admin, usual_id: UsualId, db: Db, habits: TheHabits) -> None:
    await habits.flush()
    await purchases.forget_thing(db, admin.family_id, usual_id)


@router.get("/shopping-list/order", responses=operation_responses(ORDER))
async def store_order(member: Member, store_id: InStore, db: Db, habits: TheHabits) -> Response:
    await habits.flush()
    await require_store(db, member.family_id, store_id)
    names = await shelf_order.names_in_order(db, member.family_id, _store_id(store_id))
    return Json({"storeId": store_id, "names": names})


@router.put("/shopping-list/order", responses=operation_responses(ORDER))
async def put_store_order(
    admin: Admin, store_id: InStore, body: StoreOrder, db: Db, habits: TheHabits
) -> Response:
    await habits.flush()
    await require_store(db, admin.family_id, store_id)
    names = await shelf_order.set_order(db, admin.family_id, _store_id(store_id), body.names)
    return Json({"storeId": store_id, "names": names})


@router.get("/shopping-list", responses=operation_responses(page_of(ShoppingListItem)))
async def entries(
    member: Member,
    asked: PageAsked,
    db: Db,
    store_id: Annotated[StoreFilter | None, Query(alias="storeId")] = None,
    status: Status | None = None,
) -> Response:
    query = as_json(_entries_query(member.family_id, store_id, status))
    page = await db.query(query.page(asked.limit, asked.start(member.caller)))
    if not page.items:
        await require_store(db, member.family_id, store_id)
    return Json(asked.envelope(member.caller, page.items, page.next))


@router.post(
    "/shopping-list",
    status_code=201,
    responses=operation_responses(ShoppingListItem, 422, status=201),
)
async def add_entry(admin: Admin, body: NewEntry, db: Db) -> Response:
    who, given = (admin.family_id, admin.member_id), body.given("force")
    return await admin.request.respond(
        db, lambda unit: entry_creation.add_entry(unit, *who, given, force=body.force), status=201
    )


@router.get("/shopping-list/{shoppingItemId}", responses=operation_responses(ShoppingListItem))
async def entry(member: Member, shopping_item_id: ShoppingItemId, db: Db) -> Response:
    return Json(shown(await existing(db, store.key_of(member.family_id, shopping_item_id))))


@router.patch("/shopping-list/{shoppingItemId}", responses=operation_responses(ShoppingListItem))
async def edit_entry(
    admin: Admin, shopping_item_id: ShoppingItemId, body: EntryChange, db: Db
) -> Response:
    key = store.key_of(admin.family_id, shopping_item_id)
    return await admin.request.respond(
        db, lambda unit: store.edit_entry(unit, key, body.version, body.given("version"))
    )


@router.patch(
    "/shopping-list/{shoppingItemId}/status", responses=operation_responses(ShoppingListItem)
)
async def mark_entry(
    ticker: Ticker, shopping_item_id: ShoppingItemId, body: StatusChange, db: Db, habits: TheHabits
) -> Response:
    key, role = store.key_of(ticker.family_id, shopping_item_id), ticker.role
    return await ticker.request.respond(
        db, lambda unit: store.mark_entry(unit, key, body.version, body.status, habits, role)
    )


@router.post(
    "/shopping-list/{shoppingItemId}/put-away", responses=operation_responses(PUT_AWAY, 422)
)
async def put_away(
    admin: Admin, shopping_item_id: ShoppingItemId, body: PuttingAway, db: Db
) -> Response:
    key = store.key_of(admin.family_id, shopping_item_id)
    return await admin.request.respond(
        db,
        lambda unit: stock_transfer.put_away(
            unit, key, body.version, body.quantity, admin.member_id, body.choice
        ),
        _as_json,
    )


@router.delete(
    "/shopping-list/{shoppingItemId}/put-away", responses=operation_responses(PUT_AWAY, 422)
)
async def take_back(
    admin: Admin, shopping_item_id: ShoppingItemId, body: TakingBack, db: Db
) -> Response:
    key = store.key_of(admin.family_id, shopping_item_id)
    return Json(
        _as_json(await stock_transfer.undo_put_away(db, key, body.version, admin.member_id))
    )


@router.delete("/shopping-list/{shoppingItemId}", status_code=204)
async def remove_entry(admin: Admin, shopping_item_id: ShoppingItemId, db: Db) -> None:
    await store.remove_entry(db, store.key_of(admin.family_id, shopping_item_id))


def _entries_query(
    family_id: str, store_id: str | None, status: Status | None
) -> Question[ShoppingListItem]:
    if store_id is None:
        whole = store.whole_list(family_id).up_to_date()
        return store.entries_with_status(family_id, status) if status else whole
    if status is None:
        return store.entries_at_store(family_id, _store_id(store_id))
    at = store.pending_at_store if status == "pending" else store.bought_at_store
    return at(family_id, _store_id(store_id))


async def require_store(db: Db, family_id: str, store_id: str | None) -> None:
    if store_id not in (None, UNASSIGNED):
        or_not_found(await get_store(db, family_id, str(store_id)), _("There’s no such store."))


def _as_json(result: stock_transfer.Transfer) -> dict[str, Any]:
    return {"shoppingItem": shown(result.entry), "item": result.item and shown(result.item)}


def _store_id(store_id: str) -> str | None:
    return None if store_id == UNASSIGNED else store_id
