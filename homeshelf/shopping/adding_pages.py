from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from fastapi import Response

from homeshelf.access.view import AdminView
from homeshelf.errors import Duplicate, NotFound
from homeshelf.inventory import store as inventory
from homeshelf.inventory.fields import ItemId
from homeshelf.inventory.model import MOST
from homeshelf.places.model import name_key
from homeshelf.shopping import adding
from homeshelf.shopping.bodies import AddForm
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.shopping.pages import asking, back_to, list_with
from homeshelf.shopping.store import whole_list
from homeshelf.shopping.typed import TypedEntry, folded, parted, understood
from homeshelf.table import Database
from homeshelf.web.pages import page_router, see_other

router = page_router("/list")

UNSEEN = 3
"""How many entries are added at once without being shown first."""


@dataclass(frozen=True)
class Wanted:
    text: str
    entry: TypedEntry
    given: dict[str, Any]
    there: ShoppingListItem | None = None
    """A pending entry of the same name, where both are free text."""


@router.post("/add")
async def add_entry(view: AdminView) -> Response:
    form = await view.form(AddForm)
    if form.body is None:
        return await list_with(view, form.typed.get("storeId", ""), refused=form)
    asked, family_id, member_id = form.body, view.who.family_id, view.who.member_id
    wanted = await _resolve(view.db, family_id, asked.text, asked.item_id, asked.store_id)
    if len(wanted) > UNSEEN and not (asked.seen or asked.force):
        return await _show_first(view, asked, wanted)
    there = []
    for each in wanted:
        if each.there and not asked.force:
            there.append((each, each.there))
            continue
        try:
            await adding.add(view.db, family_id, member_id, each.given, force=asked.force)
        except Duplicate as found:
            if not isinstance(found.record, ShoppingListItem):
                raise
            there.append((each, found.record))
        except NotFound as gone:
            return await list_with(view, "", refused=form.but(text=gone.detail))
    return await _ask_again(view, asked, there) if there else back_to(asked.store_id)


@router.post("/items/{itemId}")
async def add_item(view: AdminView, item_id: ItemId) -> Response:
    """Add an item from the stock or a notice; one that is on the list stays as it is."""
    with suppress(Duplicate):
        await adding.add(view.db, view.who.family_id, view.who.member_id, {"item_id": item_id})
    return see_other(_WAYS_BACK.get(view.request.query_params.get("back", ""), f"/stock/{item_id}"))


_WAYS_BACK = {"home": "/", "list": "/list"}


async def _show_first(view: AdminView, asked: AddForm, wanted: Sequence[Wanted]) -> Response:
    return await view.page(
        "shopping/several.html",
        entries=[each.entry for each in wanted],
        text=asked.text,
        store_id=asked.store_id or "",
        here=asking(at=asked.store_id),
    )


async def _ask_again(
    view: AdminView, asked: AddForm, there: Sequence[tuple[Wanted, ShoppingListItem]]
) -> Response:
    existing = [entry for _, entry in there]
    wanted, first = there[0]
    more = (first.quantity or 1) + (wanted.entry.quantity or 1)
    is_alike = wanted.there and wanted.entry.notes in (None, first.notes)
    return await view.page(
        "shopping/again.html",
        409,
        existing=existing,
        more=min(more, MOST) if len(there) == 1 and is_alike else None,
        text="\n".join(each.text for each, _ in there),
        store_id=asked.store_id or "",
        here=asking(at=asked.store_id),
        item_id=(first.item_id if len(there) == 1 else None) or "",
    )


async def _resolve(
    db: Database, family_id: str, text: str, item_id: str | None, store_id: str | None
) -> list[Wanted]:
    """Resolve what was typed: each entry is of the chosen item, or of one with its name."""
    items = (await db.all(inventory.items_by_quantity(family_id, "active")))[::-1]
    listed = await db.all(whole_list(family_id).up_to_date())
    called = {folded(item.name): item.item_id for item in items}
    exactly = {name_key(item.name): item.item_id for item in items}
    waiting = {folded(it.name): it for it in listed if it.status == "pending" and not it.item_id}
    entries = understood(text, {*called, *(folded(entry.name) for entry in listed)})
    chosen = item_id if len(entries) == 1 else None
    found = []
    for part, entry in zip(parted(text), entries, strict=True):
        name = folded(entry.name)
        of = chosen or exactly.get(name_key(entry.name)) or called.get(name)
        there = None if of else waiting.get(name)
        given: dict[str, Any] = {"item_id": of} if of else {"name": entry.name}
        details = {"quantity": entry.quantity, "notes": entry.notes, "store_id": store_id}
        given |= {field: value for field, value in details.items() if value}
        found.append(Wanted(part, entry, given, there))
    return found
