"""The stocktaking pages: one item at a time, a whole list, or a ready-made pantry."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Query, Response

from homeshelf.access.view import AdminView, MemberView
from homeshelf.controls import has_control_characters
from homeshelf.errors import Duplicate, NotFound, VersionConflict
from homeshelf.inventory import store as inventory
from homeshelf.inventory.barcodes import find_by_barcode, is_valid_barcode
from homeshelf.inventory.bodies import ItemForm
from homeshelf.inventory.default_threshold import DEFAULT_THRESHOLDS
from homeshelf.inventory.item_observer import ItemObserver
from homeshelf.inventory.model import InventoryItem
from homeshelf.languages import reader_language
from homeshelf.pictures import shown_picture
from homeshelf.places import store as places
from homeshelf.sentences import _
from homeshelf.shopping.entry_parser import fold_name
from homeshelf.stocktaking.bodies import (
    MAX_LINES,
    MAX_NAME,
    MAX_PLACE,
    MAX_UNIT,
    TakeForm,
    UndoForm,
)
from homeshelf.stocktaking.pantry import pantry
from homeshelf.stocktaking.stocktake import (
    CountedItem,
    LineDefaults,
    ResolvedLine,
    active_items,
    add_to_item,
    new_places,
    resolve_lines,
    take_stock,
)
from homeshelf.web.body import NOT_SHOWN, Search, is_visible
from homeshelf.web.forms import Form
from homeshelf.web.ids import is_id
from homeshelf.web.pages import page_router, see_other

router = page_router("/stock/take")
scan_router = page_router("/stock/scan")

ShortText = Annotated[str, Query(max_length=50)]


@router.get("")
async def take_page(
    view: AdminView,
    at: ShortText = "",
    unit: ShortText = "",
    shop: ShortText = "",
    took: ShortText = "",
    more: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    made: Annotated[int, Query(ge=0)] = 0,
) -> Response:
    kept = {"locationId": at, "unit": unit, "preferredStoreId": shop}
    last = await inventory.get_item(view.db, view.who.family_id, took) if is_id(took) else None
    return await _render(view, Form(TakeForm, kept), last=last, more=more, made=made)


@router.post("")
async def submit_stock(view: AdminView) -> Response:
    """Count a single item at once; show a preview of several."""
    form = await view.form(TakeForm)
    if form.body is None:
        return await _render(view, form)
    body, family_id = form.body, view.who.family_id
    if is_valid_barcode(body.written.strip()):
        return await _take_by_barcode(view, form, body, body.written.strip())
    defaults = LineDefaults(body.location_id, body.unit, body.preferred_store_id)
    lines = await resolve_lines(view.db, family_id, body.written, defaults, body.new_place)
    if error := _find_error(lines):
        return await _render(view, form.but(text=error))
    is_one = len(lines) == 1 and not body.ticked
    if not is_one and not body.seen:
        return await _show_preview(view, form, body, lines)
    if is_one and body.quantity and body.quantity > 1:
        lines = [replace(lines[0], line=replace(lines[0].line, count=body.quantity))]
    makes_places = body.makes_places or body.new_place is not None
    defaults = replace(defaults, barcode=body.barcode if is_one else None)
    try:
        counted = await take_stock(
            view.services, family_id, view.who.member_id, lines, defaults, makes_places=makes_places
        )
    except NotFound as gone:
        return await _render(view, form.but(locationId=gone.detail))
    except Duplicate as found:
        return await _render(view, form.but(text=found.detail))
    return see_other(_next_url(body, counted[0]) if is_one else "/stock")


async def _take_by_barcode(
    view: AdminView, form: Form[TakeForm], body: TakeForm, code: str
) -> Response:
    """Count the item up, or ask for the name of an unknown barcode."""
    item = await find_by_barcode(view.db, view.who.family_id, code)
    if item is None:
        typed = form.typed | {"text": "", "barcode": code}
        return await _render(view, Form(TakeForm, typed), unknown=code)
    if item.status != "active":
        return await _render(view, form.but(text=_("{name} is archived.", name=item.name)))
    counted = await add_to_item(view.db, view.who.member_id, item, body.quantity or 1)
    return see_other(_next_url(body, counted))


@router.post("/undo")
async def undo_count(view: AdminView) -> Response:
    """Undo a count: delete a new item unless it has changed, or subtract the count."""
    form = await view.form(UndoForm)
    if form.body is None:
        return see_other("/stock/take")
    body = form.body
    key = inventory.key_of(view.who.family_id, body.item_id)
    with suppress(NotFound, VersionConflict):
        if body.version:
            observers = view.services.all(ItemObserver)
            await inventory.remove(view.db, key, observers, view.who.member_id, body.version)
        else:
            await inventory.adjust(view.db, key, -body.delta, "undo", view.who.member_id)
    return see_other(f"/stock/take?{_kept_query(body)}")


@scan_router.get("")
async def scan_page(view: MemberView, q: Search = "") -> Response:
    digits = "".join(q.split())
    return await view.page(
        "stocktaking/scan.html",
        member=view.who,
        code=digits,
        is_valid_barcode=is_valid_barcode(digits),
        item=await find_by_barcode(view.db, view.who.family_id, digits),
    )


async def _render(
    view: AdminView,
    form: Form[TakeForm],
    last: InventoryItem | None = None,
    more: int = 0,
    made: int = 0,
    unknown: str = "",
) -> Response:
    items = await active_items(view.db, view.who.family_id)
    stored_names = {fold_name(item.name) for item in items}
    return await view.page(
        "stocktaking/take.html",
        form=form,
        locations=await places.list_locations(view.db, view.who.family_id),
        shops=await places.list_stores(view.db, view.who.family_id),
        known=[_item_json(item) for item in items],
        default_thresholds=DEFAULT_THRESHOLDS,
        shelves=pantry(reader_language().code),
        is_there=lambda name: fold_name(name) in stored_names,
        last=last,
        more=more,
        made=made,
        unknown=unknown,
        item=Form(ItemForm),
    )


async def _show_preview(
    view: AdminView, form: Form[TakeForm], body: TakeForm, lines: Sequence[ResolvedLine]
) -> Response:
    locations = await places.list_locations(view.db, view.who.family_id)
    names: dict[str | None, str] = {each.location_id: each.name for each in locations}
    return await view.page(
        "stocktaking/lines.html",
        form=Form(TakeForm, form.typed | {"text": body.written}),
        lines=lines,
        new_places=new_places(lines),
        where=lambda each: names.get(each.location_id_or(body.location_id), _("No place")),
    )


def _find_error(resolved: Sequence[ResolvedLine]) -> str:
    lines = [each.line for each in resolved]
    if not lines or not all(is_visible(line.name) for line in lines):
        return _("Write down what you have, one item per line.")
    if len(lines) > MAX_LINES:
        return _("That’s a lot. Add up to {most} items at once.", most=MAX_LINES)
    for line in lines:
        unit, notes = line.unit or "", line.notes or ""
        if has_control_characters(f"{line.name} {unit} {notes} {line.place or ''}"):
            return NOT_SHOWN
        if max(len(line.name), len(notes)) > MAX_NAME or len(unit) > MAX_UNIT:
            return _("That’s too long. Use at most {most} characters.", most=MAX_NAME)
        if line.place and not (len(line.place) <= MAX_PLACE and is_visible(line.place)):
            return _("Use at most {most} characters for a place.", most=MAX_PLACE)
    return ""


def _next_url(body: TakeForm, counted: CountedItem) -> str:
    item = counted.item
    made = {"made": item.version} if counted.is_new else {}
    at = item.location_id if body.new_place and counted.is_new else body.location_id
    kept = _kept_query(body, at)
    return f"/stock/take?{kept}&{urlencode({'took': item.item_id, 'more': counted.delta, **made})}"


def _kept_query(body: TakeForm | UndoForm, at: str | None = None) -> str:
    kept = {"at": at or body.location_id, "unit": body.unit, "shop": body.preferred_store_id}
    return urlencode({name: value for name, value in kept.items() if value})


def _item_json(item: InventoryItem) -> dict[str, Any]:
    return {
        "itemId": item.item_id,
        "name": item.name,
        "quantity": item.quantity,
        "version": item.version,
        "unit": item.unit or "",
        "locationId": item.location_id or "",
        "picture": shown_picture(item.name, item.picture),
        "barcodes": item.barcodes,
    }
