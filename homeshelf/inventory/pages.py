"""The stock: what is there, by where it is kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Query, Response

from homeshelf import clock
from homeshelf.access.view import AdminView, MemberView
from homeshelf.errors import NotFound, VersionConflict, or_not_found
from homeshelf.inventory import store
from homeshelf.inventory.bodies import AdjustForm, ItemForm
from homeshelf.inventory.changes import happened
from homeshelf.inventory.following import FollowingItems
from homeshelf.inventory.forecast import days_left, moment
from homeshelf.inventory.listing import Wanted, listed
from homeshelf.inventory.model import InventoryItem, QuantityChange
from homeshelf.inventory.notices import running_low_notices
from homeshelf.places import store as places
from homeshelf.places.model import StorageLocation
from homeshelf.sentences import _
from homeshelf.web.body import Search
from homeshelf.web.drawings import step_chart
from homeshelf.web.forms import Form
from homeshelf.web.ids import ItemId
from homeshelf.web.pages import see_other
from homeshelf.web.requests import page_router
from homeshelf.web.wording import COUNTED

router = page_router("/stock")

SHOWN_AT_ONCE = 500
HISTORY_SHOWN = 200
HISTORY_TOLD = 50


@dataclass(frozen=True)
class Group:
    """What is kept in one place."""

    location_id: str | None
    name: str
    items: Sequence[InventoryItem]


@router.get("")
async def stock_page(
    view: MemberView, q: Search = "", show: Annotated[str, Query(max_length=10)] = ""
) -> Response:
    wanted = Wanted(
        status="archived" if show == "archived" else "active",
        low_stock=show == "low",
        q=q.strip() or None,
    )
    items, more = await listed(view.db, view.who.family_id, wanted, SHOWN_AT_ONCE, None)
    locations = await view.db.all(places.locations_of(view.who.family_id).up_to_date())
    return await view.page(
        "inventory/stock.html",
        member=view.who,
        groups=_grouped(items, locations),
        locations=_by_name(locations),
        shops=_by_name(await view.db.all(places.stores_of(view.who.family_id).up_to_date())),
        more=more is not None,
        low=await view.db.count(running_low_notices(view.who.family_id), COUNTED),
        q=q,
        show=show,
        form=Form(ItemForm),
    )


@router.get("/new")
async def new_item_page(view: AdminView, name: Annotated[str, Query()] = "") -> Response:
    return await _edit(view, Form(ItemForm, {"name": name[:100]}))


@router.post("/new")
async def add_item(view: AdminView) -> Response:
    form = await view.form(ItemForm)
    if form.body is None:
        return await _edit(view, form)
    now = clock.timestamp()
    new = InventoryItem(
        item_id=clock.new_id(),
        family_id=view.who.family_id,
        created_by=view.who.member_id,
        created_at=now,
        updated_at=now,
        quantity=form.body.quantity,
        **form.body.details(),
    )
    try:
        await store.add(view.db, new)
    except NotFound as gone:
        return await _edit(view, form.but(name=gone.detail))
    return see_other(f"/stock#{new.item_id}")


@router.get("/{itemId}")
async def item_page(view: MemberView, item_id: ItemId, following: FollowingItems) -> Response:
    item = await _item(view, item_id)
    query = store.history_of(view.who.family_id, item_id)
    history = (await view.db.query(query.page(HISTORY_SHOWN))).items
    kept = item.location_id and await places.location(view.db, view.who.family_id, item.location_id)
    shops = {
        shop.store_id: shop
        for shop in await view.db.all(places.stores_of(view.who.family_id).up_to_date())
    }
    beside: dict[str, Any] = {}
    for each in following:
        beside |= await each.shown(view.db, view.who, item_id)
    return await view.page(
        "inventory/item.html",
        member=view.who,
        item=item,
        history=await happened(view.db, view.who.family_id, history[:HISTORY_TOLD]),
        chart=_chart(item, history),
        days=days_left(history, item.quantity, clock.now()),
        kept=kept,
        listed=beside.get("listed", False),
        shops=[shops[each] for each in item.store_ids if each in shops],
        tags=beside.get("tags", ()),
    )


@router.get("/{itemId}/edit")
async def edit_item_page(view: AdminView, item_id: ItemId) -> Response:
    item = await _item(view, item_id)
    ticked = {"alternateStoreIds": list(item.alternate_store_ids)}
    return await _edit(view, Form(ItemForm, _typed(item), ticked=ticked), item)


@router.post("/{itemId}/edit")
async def edit_item(view: AdminView, item_id: ItemId, following: FollowingItems) -> Response:
    form = await view.form(ItemForm)
    item = await _item(view, item_id)
    if form.body is None or form.body.version is None:
        return await _edit(view, form, item)
    try:
        details, version = form.body.details(), form.body.version
        await store.edit(view.db, item.own_key(), version, details, following)
    except VersionConflict:
        wrong = form.but(name=_("Somebody changed it meanwhile. Look once more, then save."))
        return await _edit(view, wrong, await _item(view, item_id))
    except NotFound as gone:
        return await _edit(view, form.but(name=gone.detail), item)
    return see_other(f"/stock/{item_id}")


@router.post("/{itemId}/adjust")
async def adjust_item(view: AdminView, item_id: ItemId) -> Response:
    """One more or one less without any script; with one, the API does it."""
    form = await view.form(AdjustForm)
    if form.body is not None:
        key = store.key_of(view.who.family_id, item_id)
        await store.adjust(view.db, key, form.body.delta, "adjust", view.who.member_id)
    ways_back = {"item": f"/stock/{item_id}", "home": "/"}
    return see_other(ways_back.get(form.typed.get("back", ""), f"/stock#{item_id}"))


@router.post("/{itemId}/archive")
async def archive_item(view: AdminView, item_id: ItemId) -> Response:
    await store.archive(view.db, store.key_of(view.who.family_id, item_id))
    return see_other(f"/stock/{item_id}")


@router.post("/{itemId}/unarchive")
async def unarchive_item(view: AdminView, item_id: ItemId) -> Response:
    await store.unarchive(view.db, store.key_of(view.who.family_id, item_id))
    return see_other(f"/stock/{item_id}")


async def _item(view: MemberView, item_id: str) -> InventoryItem:
    return or_not_found(
        await store.item(view.db, view.who.family_id, item_id),
        _("This is not in your stock any more."),
    )


async def _edit(
    view: MemberView, form: Form[ItemForm], item: InventoryItem | None = None
) -> Response:
    return await view.page(
        "inventory/edit.html",
        form=form,
        item=item,
        locations=_by_name(await view.db.all(places.locations_of(view.who.family_id).up_to_date())),
        shops=_by_name(await view.db.all(places.stores_of(view.who.family_id).up_to_date())),
    )


def _typed(item: InventoryItem) -> dict[str, str]:
    values = {alias: getattr(item, name) for name, alias in type(item).names().items()}
    return {alias: "" if value is None else str(value) for alias, value in values.items()}


def _grouped(items: Sequence[InventoryItem], locations: Sequence[StorageLocation]) -> list[Group]:
    """By where things are kept, in the order of names; what has no place comes last."""
    names: dict[str | None, str] = {each.location_id: each.name for each in locations}
    groups: dict[str | None, list[InventoryItem]] = {}
    for item in sorted(items, key=lambda each: each.name.casefold()):
        kept = item.location_id if item.location_id in names else None
        groups.setdefault(kept, []).append(item)
    ordered = sorted(groups, key=lambda id_: (id_ is None, names.get(id_, "").casefold()))
    return [Group(id_, names.get(id_, "Somewhere"), groups[id_]) for id_ in ordered]


def _by_name(found: Sequence[Any]) -> list[Any]:
    return sorted(found, key=lambda place: place.name.casefold())


def _chart(item: InventoryItem, history: Sequence[QuantityChange]) -> Any:
    if len(history) < 2:
        return None
    points = [(moment(change.at), change.quantity) for change in reversed(history)]
    told = f"How many there were of {item.name}, from {points[0][1]} to {item.quantity} now"
    return step_chart(points, item.threshold, clock.now(), told)
