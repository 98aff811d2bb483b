"""Show the shopping list and change its entries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Query, Response

from homeshelf.access.view import AdminView, MemberView, TickerView
from homeshelf.errors import ItemUnavailable, NotFound, VersionConflict, WrongState, or_not_found
from homeshelf.inventory import store as inventory
from homeshelf.inventory.edit_conflict import conflict_messages
from homeshelf.inventory.model import InventoryItem
from homeshelf.languages.formats import formats
from homeshelf.places import store as places
from homeshelf.sentences import _, ngettext
from homeshelf.shopping import stock_transfer, store
from homeshelf.shopping.bodies import AddForm, EntryForm, PutAwayForm, StatusChange, TripLineForm
from homeshelf.shopping.entry_parser import fold_name
from homeshelf.shopping.fields import ShoppingItemId
from homeshelf.shopping.habits import HabitLearner
from homeshelf.shopping.list_snapshot import (
    ListSnapshot,
    names_of_adders,
    read_snapshot,
    snapshot_json,
)
from homeshelf.shopping.model import ShoppingListItem, changed_fields
from homeshelf.shopping.order_rules import sort_entries
from homeshelf.shopping.purchases import camel_case
from homeshelf.web.forms import Form
from homeshelf.web.json import Json
from homeshelf.web.pages import OutcomeKey, page_router, redirect_after, see_other

router = page_router("/list")

MAX_NAMED = 20
"""Entries that a message names."""
At = Annotated[str, Query(max_length=36)]
Ids = Annotated[str, Query(max_length=MAX_NAMED * 37)]
"""Ids of entries, separated by commas."""

MESSAGES = {
    "meanwhile": _("Someone was faster. Here’s how it looks now."),
    "away": _("Put away. Your stock is up to date."),
    "not-there": _("That item is archived or deleted, so it wasn’t put away."),
}


@dataclass(frozen=True)
class Group:
    store_id: str | None
    name: str
    entries: Sequence[ShoppingListItem]


@router.get("")
async def list_page(
    view: MemberView,
    at: At = "",
    said: OutcomeKey = "",
    already: Ids = "",
    shared: str = "",
    title: str = "",
) -> Response:
    """Render the list, with text from another app in the field of a new entry."""
    text = ", ".join((shared or title).split("\n"))
    return await render_list(view, at, said, already, Form(AddForm, {"text": text}))


async def render_list(
    view: MemberView,
    at: str,
    said: str = "",
    already: str = "",
    form: Form[AddForm] | None = None,
) -> Response:
    now = await read_snapshot(view.db, view.who.family_id)
    shops, entries, archived_ids = now.shops, now.entries, now.archived_ids
    chosen = at if any(shop.store_id == at for shop in shops) else None
    listed = [entry for entry in entries if entry.is_shown_for_store(chosen)]
    bought = [entry for entry in listed if entry.status == "purchased"]
    return await view.page(
        "shopping/list.html",
        shell=await view.shell(pendingEntries=sum(each.status == "pending" for each in entries)),
        member=view.who,
        shops=shops,
        at=chosen,
        here=query_string(at=chosen),
        groups=group_by_store(listed, now),
        bought=sorted(bought, key=lambda entry: entry.updated_at, reverse=True),
        archived_ids=archived_ids,
        pictures=now.pictures,
        units=now.units,
        to_put_away=sum(entry.needs_put_away for entry in bought),
        editing=Form(EntryForm),
        trip_form=Form(TripLineForm),
        snapshot_json=snapshot_json(view.who, now),
        said=already_away_message(entries, already) or MESSAGES.get(said, ""),
        form=form or Form(AddForm),
    )


@router.get("/now")
async def list_snapshot(view: MemberView) -> Response:
    found = snapshot_json(view.who, await read_snapshot(view.db, view.who.family_id))
    return Json(found, headers={"Cache-Control": "no-store"})


@router.get("/{shoppingItemId}")
async def entry_page(view: AdminView, shopping_item_id: ShoppingItemId, at: At = "") -> Response:
    return await _render_entry(view, shopping_item_id, at)


@router.post("/{shoppingItemId}")
async def edit_entry(view: AdminView, shopping_item_id: ShoppingItemId, at: At = "") -> Response:
    form = await view.form(EntryForm)
    if form.body is None:
        return await _render_entry(view, shopping_item_id, at, form)
    key = store.key_of(view.who.family_id, shopping_item_id)
    try:
        await store.merge_edit(
            view.db, key, form.body.version, form.body.typed_fields, form.body.seen_fields
        )
    except VersionConflict:
        return await _render_conflict(view, shopping_item_id, at, form, form.body)
    except NotFound as gone:
        return await _render_entry(view, shopping_item_id, at, form.but(storeId=gone.detail))
    return redirect_to_list(at)


@router.post("/{shoppingItemId}/tick")
async def tick(
    view: TickerView, shopping_item_id: ShoppingItemId, at: At = "", back: OutcomeKey = ""
) -> Response:
    form = await view.form(StatusChange)
    key = store.key_of(view.who.family_id, shopping_item_id)
    habits, role = view.services.of(HabitLearner), view.who.role
    try:
        if form.body is not None:
            version, status = form.body.version, form.body.status
            await store.mark_shown_entry(view.db, key, version, status, habits, role)
    except VersionConflict:
        return redirect_to_list(at, "meanwhile")
    return see_other("/wall") if back == "wall" else redirect_to_list(at)


@router.post("/{shoppingItemId}/put-away")
async def put_away(view: AdminView, shopping_item_id: ShoppingItemId, at: At = "") -> Response:
    form = await view.form(PutAwayForm)
    body, by = form.body, view.who.member_id
    if body is None:
        return await _render_entry(view, shopping_item_id, at, away=form)
    key = store.key_of(view.who.family_id, shopping_item_id)
    meanwhile, not_there = list_path(at, "meanwhile"), list_path(at, "not-there")
    return await redirect_after(
        stock_transfer.undo_put_away(view.db, key, body.version, by)
        if body.undo
        else stock_transfer.put_away(view.db, key, body.version, body.quantity, by, body.choice),
        list_path(at, "away" if body.free_text else ""),
        {
            VersionConflict: meanwhile,
            WrongState: meanwhile,
            ItemUnavailable: not_there,
            **({NotFound: not_there} if body.item_id else {}),
        },
    )


@router.post("/{shoppingItemId}/delete")
async def delete_entry(view: AdminView, shopping_item_id: ShoppingItemId, at: At = "") -> Response:
    await store.remove_entry(view.db, store.key_of(view.who.family_id, shopping_item_id))
    return redirect_to_list(at)


def redirect_to_list(at: str | None = None, said: str = "") -> Response:
    return see_other(list_path(at, said))


def list_path(at: str | None, said: str = "", already: str = "") -> str:
    return f"/list{query_string(at=at, said=said, already=already)}"


def query_string(**body: str | None) -> str:
    given = {name: value for name, value in body.items() if value}
    return f"?{urlencode(given)}" if given else ""


async def _render_entry(
    view: MemberView,
    shopping_item_id: str,
    at: str,
    form: Form[EntryForm] | None = None,
    away: Form[PutAwayForm] | None = None,
    said: str = "",
) -> Response:
    found = await _get_entry(view, shopping_item_id)
    stock: Sequence[InventoryItem] = ()
    if found.needs_put_away and not found.item_id:
        items = await view.db.all(inventory.items_by_quantity(found.family_id, "active"))
        stock = sorted(items, key=lambda item: item.name.casefold())
    name = fold_name(found.name)
    pictures = await inventory.chosen_pictures(view.db, view.who.family_id, [found.item_id])
    return await view.page(
        "shopping/entry.html",
        entry=found,
        seen=camel_case(found.fields_of_form()),
        chosen=pictures.get(found.item_id or ""),
        adder=(await names_of_adders(view.db, view.who.family_id, [found])).get(found.added_by),
        stock=stock,
        same=next((item.item_id for item in stock if fold_name(item.name) == name), ""),
        archived_ids=await stock_transfer.archived_items(view.db, [found]),
        here=query_string(at=at),
        form=form or Form(EntryForm),
        away=away or Form(PutAwayForm),
        shops=await places.list_stores(view.db, view.who.family_id),
        said=said,
    )


async def _render_conflict(
    view: MemberView, shopping_item_id: str, at: str, form: Form[EntryForm], body: EntryForm
) -> Response:
    """Show the form again, with the current values beside those that both people changed."""
    now = await _get_entry(view, shopping_item_id)
    stores = await places.list_stores(view.db, view.who.family_id)
    shops = {store.store_id: store.name for store in stores}
    mine = camel_case(changed_fields(body.typed_fields, body.seen_fields))
    theirs = camel_case(changed_fields(now.fields_of_form(), body.seen_fields))
    differ = conflict_messages(_as_text(body, shops), _as_text(now, shops))
    both = {name: why for name, why in differ.items() if name in mine and name in theirs}
    typed = {name: text for name, text in form.typed.items() if name in mine}
    again = Form(EntryForm, typed).but(**both)
    said = _("Someone else changed this. Check it, then save.")
    return await _render_entry(view, shopping_item_id, at, again, said=said)


def _as_text(entry: EntryForm | ShoppingListItem, shops: Mapping[str, str]) -> dict[str, str]:
    return {
        "name": entry.name,
        "quantity": str(entry.quantity or 1),
        "storeId": shops.get(entry.store_id or "", _("Any shop")),
        "notes": " ".join((entry.notes or "").split()),
    }


async def _get_entry(view: MemberView, shopping_item_id: str) -> ShoppingListItem:
    return or_not_found(
        await store.entry(view.db, view.who.family_id, shopping_item_id),
        _("This is no longer on the list."),
    )


def already_away_message(entries: Sequence[ShoppingListItem], ids: str) -> str:
    """Return the sentence on entries that another client put away first, if there are any."""
    names = sorted(entry.name for entry in entries if entry.shopping_item_id in ids.split(","))
    if not names:
        return ""
    return ngettext(
        "{names} was already put away, so it wasn’t counted again.",
        "{names} were already put away, so they weren’t counted again.",
        len(names),
        names=formats().listed(names),
    )


def group_by_store(entries: Sequence[ShoppingListItem], now: ListSnapshot) -> list[Group]:
    names: dict[str | None, str] = {shop.store_id: shop.name for shop in now.shops}
    names[None] = _("Any shop")
    groups: dict[str | None, list[ShoppingListItem]] = {key: [] for key in names}
    for entry in entries:
        if entry.status == "pending":
            groups[entry.store_id if entry.store_id in names else None].append(entry)
    return [
        Group(key, names[key], sort_entries(now.orders.get(key, ()), found))
        for key, found in groups.items()
        if found
    ]
