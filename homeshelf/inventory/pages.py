"""The stock pages: items by location, with their details and forms."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Query, Response

from homeshelf import clock
from homeshelf.access.view import AdminView, MemberView
from homeshelf.errors import Duplicate, NotFound, VersionConflict, or_not_found
from homeshelf.inventory import default_threshold, store
from homeshelf.inventory.bodies import AdjustForm, DeleteForm, ItemForm
from homeshelf.inventory.edit_conflict import find_conflicts
from homeshelf.inventory.fields import ItemId
from homeshelf.inventory.history import days_left, describe_changes
from homeshelf.inventory.item_list import ItemFilter, list_items
from homeshelf.inventory.item_observer import ItemObserver, StockTool
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
"""The first rows of the page: a phone shows eight, and each row costs time."""
MAX_ROWS = 2000
HISTORY_SHOWN = 200
HISTORY_ROWS = 50


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
    rows: Annotated[int, Query(ge=1, le=MAX_ROWS)] = ROWS,
) -> Response:
    wanted = ItemFilter(
        status="archived" if show == "archived" else "active",
        low_stock=show == "low",
        q=q.strip() or None,
    )
    found, next_page = await list_items(
        view.db, view.who.family_id, wanted, MAX_ROWS, read_as=as_shown
    )
    locations = await places.list_locations(view.db, view.who.family_id)
    items = _sort_items(found, locations)
    query = {"rows": str(min(2 * rows, MAX_ROWS)), "show": show, "q": q}
    more_query = urlencode({name: value for name, value in query.items() if value})
    return await view.page(
        "inventory/stock.html",
        member=view.who,
        groups=_group_items(items[:rows], locations),
        rest=len(items[rows:]),
        further=f"/stock?{more_query}",
        locations=locations,
        shops=await places.list_stores(view.db, view.who.family_id),
        more=next_page is not None,
        low=await view.db.count(low_stock_notices(view.who.family_id), COUNTED),
        q=q,
        show=show,
        form=Form(ItemForm),
        thresholds=default_threshold,
        tools=view.services.all(StockTool),
    )


@router.get("/new")
async def new_item_page(
    view: AdminView,
    name: Annotated[str, Query()] = "",
    barcode: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    codes = [barcode] if barcode else []
    return await _edit_page(view, Form(ItemForm, {"name": name[:100]}, ticked={"barcodes": codes}))


@router.post("/new")
async def add_item(view: AdminView) -> Response:
    form = await view.form(ItemForm)
    if form.body is None:
        return await _edit_page(view, form)
    quantity = form.body.quantity
    given = {"quantity": quantity, **form.body.details(quantity)}
    new = new_item(view.who.family_id, view.who.member_id, given)
    try:
        await store.add(view.db, new)
    except NotFound as gone:
        return await _edit_page(view, form.but(name=gone.detail))
    except Duplicate as found:
        return await _edit_page(view, form.but(barcodes=_duplicate_message(found)))
    return see_other(f"/stock#{new.item_id}")


@router.get("/{itemId}")
async def item_page(view: MemberView, item_id: ItemId) -> Response:
    item = await _item(view, item_id)
    history = await view.db.all(store.history_of(view.who.family_id, item_id).page(HISTORY_SHOWN))
    location = item.location_id and await places.get_location(
        view.db, view.who.family_id, item.location_id
    )
    shops = {shop.store_id: shop for shop in await places.list_stores(view.db, view.who.family_id)}
    variables: dict[str, Any] = {}
    for each in view.services.all(ItemObserver):
        variables |= await each.page_variables(view.db, view.who, item_id)
    return await view.page(
        "inventory/item.html",
        member=view.who,
        item=item,
        history=await describe_changes(view.db, view.who.family_id, history[:HISTORY_ROWS]),
        chart=_draw_chart(item, history, view.who.account.time_zone),
        days=days_left(history, item.quantity, clock.now()),
        location=location,
        listed=variables.get("listed", False),
        shops=[shops[each] for each in item.store_ids if each in shops],
        tags=variables.get("tags", ()),
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
    return await _edit_page(view, form, item)


@router.post("/{itemId}/edit")
async def edit_item(view: AdminView, item_id: ItemId) -> Response:
    form = await view.form(ItemForm)
    item = await _item(view, item_id)
    if form.body is None or form.body.version is None:
        return await _edit_page(view, form, item)
    try:
        await store.edit(
            view.db,
            item.own_key(),
            form.body.version,
            form.body.details(item.quantity),
            view.services.all(ItemObserver),
        )
    except VersionConflict:
        return await _show_conflict(view, form, form.body, await _item(view, item_id))
    except NotFound as gone:
        return await _edit_page(view, form.but(name=gone.detail), item)
    except Duplicate as found:
        return await _edit_page(view, form.but(barcodes=_duplicate_message(found)), item)
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
    return_paths = {"item": f"/stock/{item_id}", "home": "/"}
    return see_other(return_paths.get(form.typed.get("back", ""), f"/stock#{item_id}"))


@router.post("/{itemId}/archive")
async def archive_item(view: AdminView, item_id: ItemId) -> Response:
    await store.set_status(view.db, store.key_of(view.who.family_id, item_id), "archived")
    return see_other(f"/stock/{item_id}")


@router.post("/{itemId}/unarchive")
async def unarchive_item(view: AdminView, item_id: ItemId) -> Response:
    await store.set_status(view.db, store.key_of(view.who.family_id, item_id), "active")
    return see_other(f"/stock/{item_id}")


@router.get("/{itemId}/delete")
async def delete_item_page(view: AdminView, item_id: ItemId) -> Response:
    return await _confirm_delete(view, item_id)


@router.post("/{itemId}/delete")
async def delete_item(view: AdminView, item_id: ItemId) -> Response:
    """Delete the item unless it changed since the user was asked; then ask again."""
    form = await view.form(DeleteForm)
    if form.body is None:
        return await _confirm_delete(view, item_id)
    key = store.key_of(view.who.family_id, item_id)
    try:
        await store.remove(
            view.db, key, view.services.all(ItemObserver), view.who.member_id, form.body.version
        )
    except VersionConflict:
        return await _confirm_delete(view, item_id, 409)
    return see_other("/stock")


async def _item(view: MemberView, item_id: str) -> InventoryItem:
    return or_not_found(
        await store.get_item(view.db, view.who.family_id, item_id),
        _("This is no longer in your stock."),
    )


async def _edit_page(
    view: MemberView, form: Form[ItemForm], item: InventoryItem | None = None, said: str = ""
) -> Response:
    return await view.page(
        "inventory/edit.html",
        form=form,
        item=item,
        said=said,
        thresholds=default_threshold,
        locations=await places.list_locations(view.db, view.who.family_id),
        shops=await places.list_stores(view.db, view.who.family_id),
    )


async def _show_conflict(
    view: MemberView, form: Form[ItemForm], body: ItemForm, stored: InventoryItem
) -> Response:
    """Show the typed values with the stored ones; if nothing differs, nothing needs saving."""
    typed, family_id = body.details(stored.quantity), view.who.family_id
    locations = await places.list_locations(view.db, family_id)
    conflicts = find_conflicts(
        typed, stored, [*locations, *await places.list_stores(view.db, family_id)]
    )
    if not conflicts:
        return see_other(f"/stock/{stored.item_id}")
    form = replace(form, typed=form.typed | {"version": str(stored.version)}).but(**conflicts)
    said = _("Someone else changed this. Check it, then save.")
    return await _edit_page(view, form, stored, said)


def _duplicate_message(found: Duplicate) -> str:
    return _("{name} has this barcode.", name=getattr(found.record, "name", ""))


async def _confirm_delete(view: AdminView, item_id: str, status: int = 200) -> Response:
    item, left = await _item(view, item_id), Counter[str]()
    for each in view.services.all(ItemObserver):
        left.update(await each.count_references(view.db, view.who.family_id, item_id))
    return await view.page(
        "inventory/delete.html",
        status,
        item=item,
        tags=left["tags"],
        entries=left["entries"],
        wishes=left["wishes"],
        changed=status == 409,
    )


def _sort_items(found: Iterable[Any], locations: Sequence[StorageLocation]) -> list[Any]:
    """Sort items by location, then by name; items without a location come last."""
    order = {each.location_id: number for number, each in enumerate(locations)}
    last = len(locations)
    return sorted(found, key=lambda it: (order.get(it.location_id, last), it.name.casefold()))


def _group_items(
    items: Sequence[InventoryItem], locations: Sequence[StorageLocation]
) -> list[Group]:
    names = {each.location_id: each.name for each in locations}
    kept = groupby(items, lambda each: each.location_id if each.location_id in names else None)
    return [Group(id_, names.get(id_ or "", _("No place")), list(group)) for id_, group in kept]


def _draw_chart(item: InventoryItem, history: Sequence[QuantityChange], time_zone: str) -> Any:
    if len(history) < 2:
        return None
    points = [(datetime.fromisoformat(change.at), change.quantity) for change in reversed(history)]
    description = _(
        "Count of {name} over time: {first} at first, {last} now",
        name=item.name,
        first=points[0][1],
        last=item.quantity,
    )
    return step_chart(points, item.threshold, clock.now(), description, clock.zone_of(time_zone))
