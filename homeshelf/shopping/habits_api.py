"""What was learned from ticks: the usual things, and the order of each store."""

from typing import Annotated, Any

from fastapi import Query, Response

from homeshelf import clock
from homeshelf.access import Admin, Member
from homeshelf.errors import or_not_found
from homeshelf.inventory.notices import running_low_notices
from homeshelf.places.store import shop
from homeshelf.sentences import _
from homeshelf.shopping import order, store, usual
from homeshelf.shopping.bodies import StoreOrder
from homeshelf.shopping.fields import UNASSIGNED, StoreAsked
from homeshelf.shopping.habits import TheHabits
from homeshelf.shopping.usual import LOOKED_AT
from homeshelf.web.ids import UsualId
from homeshelf.web.json import Json
from homeshelf.web.openapi import answers
from homeshelf.web.requests import api_router
from homeshelf.web.services import Db

router = api_router()

USUAL = {
    "usualId": str,
    "name": str,
    "itemId": str | None,
    "storeId": str | None,
    "picture": str,
    "timesBought": int,
    "lastBoughtAt": str,
}
ORDER = {"storeId": str, "names": [str]}
Limit = Annotated[int, Query(ge=1, le=100)]
InStore = Annotated[StoreAsked, Query(alias="storeId")]


@router.get("/shopping-list/usual")
@answers({"items": [USUAL]})
async def usual_things(
    member: Member,
    db: Db,
    habits: TheHabits,
    store_id: Annotated[StoreAsked | None, Query(alias="storeId")] = None,
    limit: Limit = 50,
) -> Response:
    await habits.flush()
    family_id = member.family_id
    if store_id not in (None, UNASSIGNED):
        await _require_store(db, family_id, store_id)
    bought = await db.query(usual.purchases_of(family_id).page(LOOKED_AT))
    listed = await db.all(store.whole_list(family_id).up_to_date())
    low = {notice.item_id for notice in await db.all(running_low_notices(family_id))}
    things = usual.not_pending(usual.most_likely(bought.items, low, clock.now()), listed)
    if store_id is not None:
        things = [it for it in things if (it.store_id or UNASSIGNED) == store_id]
    offered = await usual.that_can_be_added(db, family_id, things, {})
    return Json({"items": [it.shown() for it in offered[:limit]]})


@router.delete("/shopping-list/usual/{usualId}", status_code=204)
async def forget_usual(admin: Admin, usual_id: UsualId, db: Db, habits: TheHabits) -> Response:
    await habits.flush()
    await usual.forget(db, admin.family_id, usual_id)
    return Response(status_code=204)


@router.get("/shopping-list/order")
@answers(ORDER)
async def store_order(member: Member, store_id: InStore, db: Db, habits: TheHabits) -> Response:
    await habits.flush()
    where = await _where(db, member.family_id, store_id)
    return Json(_ordered(store_id, await order.order_in(db, member.family_id, where)))


@router.put("/shopping-list/order")
@answers(ORDER)
async def put_store_order(
    admin: Admin, store_id: InStore, body: StoreOrder, db: Db, habits: TheHabits
) -> Response:
    await habits.flush()
    where = await _where(db, admin.family_id, store_id)
    return Json(
        _ordered(store_id, await order.put_in_order(db, admin.family_id, where, body.names))
    )


def _ordered(store_id: str, names: list[str]) -> dict[str, Any]:
    return {"storeId": store_id, "names": names}


async def _where(db: Db, family_id: str, store_id: str) -> str | None:
    if store_id == UNASSIGNED:
        return None
    await _require_store(db, family_id, store_id)
    return store_id


async def _require_store(db: Db, family_id: str, store_id: str | None) -> None:
    or_not_found(store_id and await shop(db, family_id, store_id), _("There is no such store."))
