from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import Query, Response

from homeshelf.access.view import AdminView
from homeshelf.errors import Duplicate, NotFound
from homeshelf.inventory import store as inventory
from homeshelf.inventory.fields import ItemId
from homeshelf.inventory.model import MAX_QUANTITY
from homeshelf.places.model import name_key
from homeshelf.shopping.bodies import AddForm
from homeshelf.shopping.entry_creation import MAX_AT_ONCE, add_entry, add_low_items
from homeshelf.shopping.entry_parser import (
    ParsedEntry,
    count_in_unit,
    fold_name,
    parse_entries,
    split_entries,
)
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.shopping.pages import query_string, redirect_to_list, render_list
from homeshelf.shopping.purchases import camel_case
from homeshelf.shopping.store import key_of, remove_if_pending, whole_list
from homeshelf.table import Database
from homeshelf.web.ids import is_id
from homeshelf.web.pages import page_router, see_other

router = page_router("/list")

MAX_WITHOUT_REVIEW = 3
AddedIds = Annotated[str, Query(max_length=MAX_AT_ONCE * 37)]


@dataclass(frozen=True)
class ResolvedEntry:
    text: str
    entry: ParsedEntry
    fields: dict[str, Any]
    match: ShoppingListItem | None = None
    is_repeated: bool = False
    """Set if the text contains the name more than once."""


@router.post("/add")
async def submit_entries(view: AdminView) -> Response:
    form = await view.form(AddForm)
    if form.body is None:
        return await render_list(view, form.typed.get("storeId", ""), form=form)
    body, family_id, member_id = form.body, view.who.family_id, view.who.member_id
    resolved = await _resolve_entries(view.db, family_id, body.text, body.item_id, body.store_id)
    if len(resolved) > MAX_WITHOUT_REVIEW and not (body.seen or body.force):
        return await _render_review(view, body, resolved)
    duplicates = []
    for each in resolved:
        if each.match and not body.force:
            duplicates.append((each, each.match))
            continue
        try:
            await add_entry(view.db, family_id, member_id, each.fields, force=body.force)
        except Duplicate as found:
            if not isinstance(found.record, ShoppingListItem):
                raise
            duplicates.append((each, found.record))
        except NotFound as gone:
            return await render_list(view, "", form=form.but(text=gone.detail))
    if duplicates:
        return await _render_duplicates(view, body, duplicates)
    return redirect_to_list(body.store_id)


@router.post("/items/{itemId}")
async def submit_item(view: AdminView, item_id: ItemId) -> Response:
    """Add an item; if it is on the list already, nothing changes."""
    with suppress(Duplicate):
        await add_entry(view.db, view.who.family_id, view.who.member_id, {"item_id": item_id})
    back = view.request.query_params.get("back", "")
    return see_other(_RETURN_PATHS.get(back, f"/stock/{item_id}"))


@router.post("/low")
async def submit_low_items(view: AdminView) -> Response:
    added = await add_low_items(view.db, view.who.family_id, view.who.member_id)
    return see_other(f"/{query_string(added=','.join(each.shopping_item_id for each in added))}")


@router.post("/low/undo")
async def undo_low_items(view: AdminView, added: AddedIds = "") -> Response:
    for id_ in filter(is_id, added.split(",")):
        await remove_if_pending(view.db, key_of(view.who.family_id, id_))
    return see_other("/")


_RETURN_PATHS = {"home": "/", "list": "/list"}


async def _render_review(
    view: AdminView, body: AddForm, resolved: Sequence[ResolvedEntry]
) -> Response:
    return await view.page(
        "shopping/several.html",
        entries=resolved,
        text=body.text,
        store_id=body.store_id or "",
        here=query_string(at=body.store_id),
    )


async def _render_duplicates(
    view: AdminView, body: AddForm, duplicates: Sequence[tuple[ResolvedEntry, ShoppingListItem]]
) -> Response:
    existing = [entry for _, entry in duplicates]
    resolved, first = duplicates[0]
    more = (first.quantity or 1) + (resolved.entry.quantity or 1)
    is_alike = resolved.match and resolved.entry.notes in (None, first.notes)
    return await view.page(
        "shopping/again.html",
        409,
        existing=existing,
        seen=camel_case(first.fields_of_form()),
        more=min(more, MAX_QUANTITY) if len(duplicates) == 1 and is_alike else None,
        text="\n".join(each.text for each, _ in duplicates),
        store_id=body.store_id or "",
        here=query_string(at=body.store_id),
        item_id=(first.item_id if len(duplicates) == 1 else None) or "",
    )


async def _resolve_entries(
    db: Database, family_id: str, text: str, item_id: str | None, store_id: str | None
) -> list[ResolvedEntry]:
    """Parse the text, and match each entry with the chosen item or one of its name."""
    items = (await db.all(inventory.items_by_quantity(family_id, "active")))[::-1]
    listed = await db.all(whole_list(family_id).up_to_date())
    folded_names = {fold_name(item.name): item.item_id for item in items}
    exact_names = {name_key(item.name): item.item_id for item in items}
    pending = {fold_name(it.name): it for it in listed if it.status == "pending" and not it.item_id}
    entries = parse_entries(text, {*folded_names, *(fold_name(entry.name) for entry in listed)})
    chosen = item_id if len(entries) == 1 else None
    units = {item.item_id: item.unit for item in items}
    found: dict[tuple[str, str | None], ResolvedEntry] = {}
    names: list[str] = []
    for part, parsed in zip(split_entries(text), entries, strict=True):
        name = fold_name(parsed.name)
        of = chosen or exact_names.get(name_key(parsed.name)) or folded_names.get(name)
        entry = count_in_unit(parsed, units.get(of or ""))
        if same := found.get((of or name, entry.notes)):
            total = (same.entry.quantity or 1) + (entry.quantity or 1)
            entry = replace(same.entry, quantity=total)
        typed = f"{same.text}\n{part}" if same else part
        match = None if of else pending.get(name)
        fields: dict[str, Any] = {"item_id": of} if of else {"name": entry.name}
        details = {"quantity": entry.quantity, "notes": entry.notes, "store_id": store_id}
        fields |= {field: value for field, value in details.items() if value}
        names.append(of or name)
        found[of or name, entry.notes] = ResolvedEntry(typed, entry, fields, match)
    return [replace(it, is_repeated=names.count(name) > 1) for (name, _), it in found.items()]
