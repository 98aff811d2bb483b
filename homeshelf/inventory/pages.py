"""The stock: what is there, by where it is kept."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Query, Response

from homeshelf import clock
from homeshelf.access.view import AdminView, MemberView
from homeshelf.errors import Duplicate, NotFound, VersionConflict, or_not_found
from homeshelf.inventory import marks, store
from homeshelf.inventory.bodies import AdjustForm, DeleteForm, ItemForm
from homeshelf.inventory.edit_conflict import differing
from homeshelf.inventory.fields import ItemId
from homeshelf.inventory.following import following_of
from homeshelf.inventory.history import days_left, happened
from homeshelf.inventory.listing import Wanted, listed
from homeshelf.inventory.low_stock import low_stock_notices
from homeshelf.inventory.model import InventoryItem, QuantityChange, new_item
from homeshelf.places import store as places
from homeshelf.places.model import StorageLocation
from homeshelf.sentences import _
from homeshelf.table import as_shown
from homeshelf.web.body import Search
from homeshelf.web.drawings import step_chart
from homeshelf.web.forms import Form, form_texts
from homeshelf.web.pages import page_router, see_other
from homeshelf.web.wording import COUNTED

router = page_router("/stock")

ROWS = 100
"""How many are shown at first: a phone shows eight, and each costs time."""
MOST = 2000
"""How many can be reached by scrolling; search finds all."""
HISTORY_SHOWN = 200
HISTORY_TOLD = 50


@dataclass(frozen=True)
class Group:
    location_id: str | None
    name: str
    items: Sequence[InventoryItem]


@router.get("")
async def stock_page(
    view: MemberView,
    q: Search = "",
    show: Annotated[str, Query(max_length=10)] = "",
    rows: Annotated[int, Query(ge=1, le=MOST)] = ROWS,
) -> Response:
    wanted = Wanted(
        status="archived" if show == "archived" else "active",
        low_stock=show == "low",
        q=q.strip() or None,
    )
    found, more = await listed(view.db, view.who.family_id, wanted, MOST, read_as=as_shown)
    locations = await places.list_locations(view.db, view.who.family_id)
    items = list(_ordered(found, locations))
    further = {"rows": str(min(2 * rows, MOST)), "show": show, "q": q}
    given = urlencode({name: value for name, value in further.items() if value})
    return await view.page(
        "inventory/stock.html",
        member=view.who,
        groups=_grouped(items[:rows], locations),
        rest=len(items[rows:]),
        further=f"/stock?{given}",
        locations=locations,
        shops=await places.list_stores(view.db, view.who.family_id),
        more=more is not None,
        low=await view.db.count(low_stock_notices(view.who.family_id), COUNTED),
        q=q,
        show=show,
        form=Form(ItemForm),
        marks=marks,
    )


@router.get("/new")
async def new_item_page(
    view: AdminView,
    name: Annotated[str, Query()] = "",
    barcode: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    codes = [barcode] if barcode else []
    return await _edit(view, Form(ItemForm, {"name": name[:100]}, ticked={"barcodes": codes}))


@router.post("/new")
async def add_item(view: AdminView) -> Response:
    form = await view.form(ItemForm)
    if form.body is None:
        return await _edit(view, form)
    quantity = form.body.quantity
    given = {"quantity": quantity, **form.body.details(quantity)}
    new = new_item(view.who.family_id, view.who.member_id, given)
    try:
        await store.add(view.db, new)
    except NotFound as gone:
        return await _edit(view, form.but(name=gone.detail))
    except Duplicate as found:
        return await _edit(view, form.but(barcodes=_taken(found)))
    return see_other(f"/stock#{new.item_id}")


@router.get("/{itemId}")
async def item_page(view: MemberView, item_id: ItemId) -> Response:
    item = await _item(view, item_id)
    history = await view.db.all(store.history_of(view.who.family_id, item_id).page(HISTORY_SHOWN))
    kept = item.location_id and await places.get_location(
        view.db, view.who.family_id, item.location_id
    )
    shops = {shop.store_id: shop for shop in await places.list_stores(view.db, view.who.family_id)}
    beside: dict[str, Any] = {}
    for each in following_of(view.services):
        beside |= await each.shown(view.db, view.who, item_id)
    return await view.page(
        "inventory/item.html",
        member=view.who,
        item=item,
        history=await happened(view.db, view.who.family_id, history[:HISTORY_TOLD]),
        chart=_chart(item, history, view.who.account.time_zone),
        days=days_left(history, item.quantity, clock.now()),
        kept=kept,
        listed=beside.get("listed", False),
        shops=[shops[each] for each in item.store_ids if each in shops],
        tags=beside.get("tags", ()),
    )


@router.get("/{itemId}/edit")
async def edit_item_page(view: AdminView, item_id: ItemId) -> Response:
    item = await _item(view, item_id)
    form = Form(
        ItemForm,
        form_texts(item, ItemForm) | ({} if item.threshold else {"threshold": "", "tell": "never"}),
        ticked={
            "alternateStoreIds": list(item.alternate_store_ids),
            "barcodes": list(item.barcodes),
        },
    )
    return await _edit(view, form, item)


@router.post("/{itemId}/edit")
async def edit_item(view: AdminView, item_id: ItemId) -> Response:
    form = await view.form(ItemForm)
    item = await _item(view, item_id)
    if form.body is None or form.body.version is None:
        return await _edit(view, form, item)
    try:
        await store.edit(
            view.db,
            item.own_key(),
            form.body.version,
            form.body.details(item.quantity),
            following_of(view.services),
        )
    except VersionConflict:
        return await _meanwhile(view, form, form.body, await _item(view, item_id))
    except NotFound as gone:
        return await _edit(view, form.but(name=gone.detail), item)
    except Duplicate as found:
        return await _edit(view, form.but(barcodes=_taken(found)), item)
    return see_other(f"/stock/{item_id}")


@router.post("/{itemId}/adjust")
async def adjust_item(view: AdminView, item_id: ItemId) -> Response:
    form = await view.form(AdjustForm)
    if form.body is not None:
        await store.adjust(
            view.db,
            store.key_of(view.who.family_id, item_id),
            form.body.delta,
            "adjust",
            view.who.member_id,
        )
    ways_back = {"item": f"/stock/{item_id}", "home": "/"}
    return see_other(ways_back.get(form.typed.get("back", ""), f"/stock#{item_id}"))


@router.post("/{itemId}/archive")
async def archive_item(view: AdminView, item_id: ItemId) -> Response:
    await store.restate(view.db, store.key_of(view.who.family_id, item_id), "archived")
    return see_other(f"/stock/{item_id}")


@router.post("/{itemId}/unarchive")
async def unarchive_item(view: AdminView, item_id: ItemId) -> Response:
    await store.restate(view.db, store.key_of(view.who.family_id, item_id), "active")
    return see_other(f"/stock/{item_id}")


@router.get("/{itemId}/delete")
async def delete_item_page(view: AdminView, item_id: ItemId) -> Response:
    return await _question(view, item_id)


@router.post("/{itemId}/delete")
async def delete_item(view: AdminView, item_id: ItemId) -> Response:
    """Delete the item if it is as it was when the question was asked; otherwise ask again."""
    form = await view.form(DeleteForm)
    if form.body is None:
        return await _question(view, item_id)
    key = store.key_of(view.who.family_id, item_id)
    try:
        await store.remove(
            view.db, key, following_of(view.services), view.who.member_id, form.body.version
        )
    except VersionConflict:
        return await _question(view, item_id, 409)
    return see_other("/stock")


async def _item(view: MemberView, item_id: str) -> InventoryItem:
    return or_not_found(
        await store.item(view.db, view.who.family_id, item_id),
        _("This is no longer in your stock."),
    )


async def _edit(
    view: MemberView, form: Form[ItemForm], item: InventoryItem | None = None, said: str = ""
) -> Response:
    return await view.page(
        "inventory/edit.html",
        form=form,
        item=item,
        said=said,
        marks=marks,
        locations=await places.list_locations(view.db, view.who.family_id),
        shops=await places.list_stores(view.db, view.who.family_id),
    )


async def _meanwhile(
    view: MemberView, form: Form[ItemForm], asked: ItemForm, now: InventoryItem
) -> Response:
    """Keep what was typed, with the current values beside it; if nothing differs, nothing is to
    save."""
    typed, family_id = asked.details(now.quantity), view.who.family_id
    locations = await places.list_locations(view.db, family_id)
    differ = differing(typed, now, [*locations, *await places.list_stores(view.db, family_id)])
    if not differ:
        return see_other(f"/stock/{now.item_id}")
    again = replace(form, typed=form.typed | {"version": str(now.version)}).but(**differ)
    said = _("Someone else changed this. Check it, then save.")
    return await _edit(view, again, now, said)


def _taken(found: Duplicate) -> str:
    """Name the item that has the barcode."""
    other = found.record
    return _(
        "{name} has this barcode.", name=other.name if isinstance(other, InventoryItem) else ""
    )


async def _question(view: AdminView, item_id: str, status: int = 200) -> Response:
    item, left = await _item(view, item_id), Counter[str]()
    for each in following_of(view.services):
        left.update(await each.counted(view.db, view.who.family_id, item_id))
    return await view.page(
        "inventory/delete.html",
        status,
        item=item,
        tags=left["tags"],
        entries=left["entries"],
        wishes=left["wishes"],
        meanwhile=status == 409,
    )


def _ordered(found: Iterable[Any], locations: Sequence[StorageLocation]) -> Iterator[Any]:
    """Sort items by location, then by name; items without a location come last."""
    kept: dict[str | None, list[Any]] = {each.location_id: [] for each in locations}
    somewhere: list[Any] = []
    for each in found:
        kept.get(each.location_id, somewhere).append(each)
    for those in (*kept.values(), somewhere):
        yield from sorted(those, key=lambda each: each.name.casefold())


def _grouped(items: Sequence[InventoryItem], locations: Sequence[StorageLocation]) -> list[Group]:
    names = {each.location_id: each.name for each in locations}
    kept = groupby(items, lambda each: each.location_id if each.location_id in names else None)
    return [Group(id_, names.get(id_ or "", _("No place")), list(those)) for id_, those in kept]


def _chart(item: InventoryItem, history: Sequence[QuantityChange], time_zone: str) -> Any:
    if len(history) < 2:
        return None
    points = [(datetime.fromisoformat(change.at), change.quantity) for change in reversed(history)]
    told = _(
        "Count of {name}, from {first} to {last} now",
        name=item.name,
        first=points[0][1],
        last=item.quantity,
    )
    return step_chart(points, item.threshold, clock.now(), told, clock.zone_of(time_zone))
