"""The shopping list as a page: for one hand, in a shop."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Query, Response

from homeshelf.access.view import AdminView, MemberView
from homeshelf.errors import ItemUnavailable, NotFound, VersionConflict, WrongState, or_not_found
from homeshelf.inventory import store as inventory
from homeshelf.inventory.edit_conflict import beside
from homeshelf.inventory.model import InventoryItem
from homeshelf.languages.formats import formats
from homeshelf.places import store as places
from homeshelf.sentences import _, ngettext
from homeshelf.shopping import putting_away, store
from homeshelf.shopping.bodies import AddForm, AllAwayForm, AwayForm, EntryForm, StatusChange
from homeshelf.shopping.fields import ShoppingItemId
from homeshelf.shopping.habits import Habits
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.shopping.now import ListNow, kept, list_now
from homeshelf.shopping.ordering import sorted_by
from homeshelf.shopping.typed import folded
from homeshelf.web.forms import Form
from homeshelf.web.json import Json
from homeshelf.web.pages import OutcomeKey, page_router, redirect_after, see_other

router = page_router("/list")

At = Annotated[str, Query(max_length=36)]
"""The store whose list is shown; empty is all of them."""

SAID = {
    "meanwhile": _("Somebody else was quicker. Here is how it is now."),
    "away": _("Put away. Your stock is up to date."),
    "left": _("Put away, as far as it is in your stock."),
    "not-there": _("That is put aside or gone from your stock, so it was not put away."),
}


@dataclass(frozen=True)
class Group:
    store_id: str | None
    name: str
    entries: Sequence[ShoppingListItem]


@router.get("")
async def list_page(view: MemberView, at: At = "", said: OutcomeKey = "") -> Response:
    return await list_with(view, at, said)


async def list_with(
    view: MemberView, at: str, said: str = "", refused: Form[AddForm] | None = None
) -> Response:
    now = await list_now(view.db, view.who.family_id)
    shops, entries, aside = now.shops, now.entries, now.aside
    chosen = at if any(shop.store_id == at for shop in shops) else None
    listed = [entry for entry in entries if entry.is_bought_at(chosen)]
    bought = [entry for entry in listed if entry.status == "purchased"]
    left = [each.name for each in bought if each.item_id in aside and said == "left"]
    is_asked = said in ("away", "left")
    free_text = [each for each in bought if each.is_not_put_away and not each.item_id and is_asked]
    return await view.page(
        "shopping/list.html",
        shell=await view.shell(pendingEntries=sum(each.status == "pending" for each in entries)),
        member=view.who,
        shops=shops,
        at=chosen,
        here=asking(at=chosen),
        groups=_grouped(listed, now),
        bought=sorted(bought, key=lambda entry: entry.updated_at, reverse=True),
        aside=aside,
        pictures=now.pictures,
        left=left,
        free_text=sorted(free_text, key=lambda entry: entry.name),
        to_put_away=sum(entry.is_to_put_away and entry.item_id not in aside for entry in bought),
        editing=Form(EntryForm),
        kept=kept(view.who, now),
        said=_left(left) if left else SAID.get(said, ""),
        form=refused or Form(AddForm),
    )


@router.get("/now")
async def the_list_now(view: MemberView) -> Response:
    found = kept(view.who, await list_now(view.db, view.who.family_id))
    return Json(found, headers={"Cache-Control": "no-store"})


@router.post("/put-away-all")
async def put_all_away(view: AdminView) -> Response:
    """Put away what the page shows: a store's list has its own entries only."""
    form = await view.form(AllAwayForm)
    if form.body is None:
        return back_to()
    at = form.body.at
    left = await putting_away.put_all_away(view.db, view.who.family_id, at, view.who.member_id)
    return back_to(at, "left" if left else "away")


@router.get("/{shoppingItemId}")
async def entry_page(view: AdminView, shopping_item_id: ShoppingItemId, at: At = "") -> Response:
    return await _entry(view, shopping_item_id, at)


@router.post("/{shoppingItemId}")
async def edit_entry(view: AdminView, shopping_item_id: ShoppingItemId, at: At = "") -> Response:
    form = await view.form(EntryForm)
    if form.body is None:
        return await _entry(view, shopping_item_id, at, form)
    key = store.key_of(view.who.family_id, shopping_item_id)
    try:
        await store.edit(view.db, key, form.body.version, form.body.complete("version"))
    except VersionConflict:
        return await _meanwhile(view, shopping_item_id, at, form, form.body)
    except NotFound as gone:
        return await _entry(view, shopping_item_id, at, form.but(storeId=gone.detail))
    return back_to(at)


@router.post("/{shoppingItemId}/tick")
async def tick(view: AdminView, shopping_item_id: ShoppingItemId, at: At = "") -> Response:
    form = await view.form(StatusChange)
    key = store.key_of(view.who.family_id, shopping_item_id)
    habits = view.services.of(Habits)
    try:
        if form.body is not None:
            await store.mark(view.db, key, form.body.version, form.body.status, habits)
    except VersionConflict:
        return back_to(at, "meanwhile")
    return back_to(at)


@router.post("/{shoppingItemId}/put-away")
async def put_away(view: AdminView, shopping_item_id: ShoppingItemId, at: At = "") -> Response:
    form = await view.form(AwayForm)
    asked, by = form.body, view.who.member_id
    if asked is None:
        return await _entry(view, shopping_item_id, at, away=form)
    key = store.key_of(view.who.family_id, shopping_item_id)
    meanwhile, not_there = path_to(at, "meanwhile"), path_to(at, "not-there")
    return await redirect_after(
        putting_away.take_back(view.db, key, asked.version, by)
        if asked.undo
        else putting_away.put_away(view.db, key, asked.version, asked.quantity, by, asked.belongs),
        path_to(at, "away" if asked.free_text else ""),
        {
            VersionConflict: meanwhile,
            WrongState: meanwhile,
            ItemUnavailable: not_there,
            **({NotFound: not_there} if asked.item_id else {}),
        },
    )


@router.post("/{shoppingItemId}/delete")
async def delete_entry(view: AdminView, shopping_item_id: ShoppingItemId, at: At = "") -> Response:
    await store.remove(view.db, store.key_of(view.who.family_id, shopping_item_id))
    return back_to(at)


def back_to(at: str | None = None, said: str = "") -> Response:
    return see_other(path_to(at, said))


def path_to(at: str | None, said: str = "") -> str:
    return f"/list{asking(at=at, said=said)}"


def asking(**asked: str | None) -> str:
    given = {name: value for name, value in asked.items() if value}
    return f"?{urlencode(given)}" if given else ""


async def _entry(
    view: MemberView,
    shopping_item_id: str,
    at: str,
    form: Form[EntryForm] | None = None,
    away: Form[AwayForm] | None = None,
    said: str = "",
) -> Response:
    found = await _found(view, shopping_item_id)
    stock: Sequence[InventoryItem] = ()
    if found.is_not_put_away and not found.item_id:
        items = await view.db.all(inventory.items_by_quantity(found.family_id, "active"))
        stock = sorted(items, key=lambda item: item.name.casefold())
    name = folded(found.name)
    pictures = await inventory.chosen_pictures(view.db, view.who.family_id, [found.item_id])
    return await view.page(
        "shopping/entry.html",
        entry=found,
        chosen=pictures.get(found.item_id or ""),
        stock=stock,
        same=next((item.item_id for item in stock if folded(item.name) == name), ""),
        aside=await putting_away.put_aside(view.db, [found]),
        here=asking(at=at),
        form=form or Form(EntryForm),
        away=away or Form(AwayForm),
        shops=await places.list_stores(view.db, view.who.family_id),
        said=said,
    )


async def _meanwhile(
    view: MemberView, shopping_item_id: str, at: str, form: Form[EntryForm], asked: EntryForm
) -> Response:
    """Keep what was typed, with the current values beside it; if nothing differs, nothing is to
    save."""
    now = await _found(view, shopping_item_id)
    shops = {
        shop.store_id: shop.name for shop in await places.list_stores(view.db, view.who.family_id)
    }
    differ = beside(_in_words(asked, shops), _in_words(now, shops))
    if not differ:
        return back_to(at)
    again = replace(form, typed=form.typed | {"version": str(now.version)}).but(**differ)
    said = _("Somebody changed it meanwhile. Look once more, then save.")
    return await _entry(view, shopping_item_id, at, again, said=said)


def _in_words(entry: EntryForm | ShoppingListItem, shops: Mapping[str, str]) -> dict[str, str]:
    return {
        "name": entry.name,
        "quantity": str(entry.quantity or ""),
        "storeId": shops.get(entry.store_id or "", _("Anywhere")),
        "notes": " ".join((entry.notes or "").split()),
    }


async def _found(view: MemberView, shopping_item_id: str) -> ShoppingListItem:
    return or_not_found(
        await store.entry(view.db, view.who.family_id, shopping_item_id),
        _("This is not on the list any more."),
    )


def _left(names: Sequence[str]) -> str:
    return ngettext(
        "{names} is put aside and stayed here. Take it back into the stock first.",
        "{names} are put aside and stayed here. Take them back into the stock first.",
        len(names),
        names=formats().listed(sorted(names)),
    )


def _grouped(entries: Sequence[ShoppingListItem], now: ListNow) -> list[Group]:
    names: dict[str | None, str] = {shop.store_id: shop.name for shop in now.shops}
    names[None] = _("Anywhere")
    groups: dict[str | None, list[ShoppingListItem]] = {key: [] for key in names}
    for entry in entries:
        if entry.status == "pending":
            groups[entry.store_id if entry.store_id in names else None].append(entry)
    return [
        Group(key, names[key], sorted_by(now.orders.get(key, ()), found))
        for key, found in groups.items()
        if found
    ]
