"""Taking stock: one thing after the other, a whole list at once, or a ready-made pantry."""

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
from homeshelf.inventory.barcodes import is_right, item_with
from homeshelf.inventory.bodies import ItemForm
from homeshelf.inventory.following import following_of
from homeshelf.inventory.marks import STARTS
from homeshelf.inventory.model import InventoryItem
from homeshelf.languages import reader_language
from homeshelf.pictures import shown_picture
from homeshelf.places import store as places
from homeshelf.sentences import _
from homeshelf.shopping.entry_parser import fold_name
from homeshelf.stocktaking.bodies import (
    LONGEST_NAME,
    LONGEST_PLACE,
    LONGEST_UNIT,
    MOST_LINES,
    TakeForm,
    UndoForm,
)
from homeshelf.stocktaking.pantry import pantry
from homeshelf.stocktaking.taking import (
    Around,
    ResolvedLine,
    Taken,
    count_up,
    new_places,
    resolve_lines,
    stock,
    take,
)
from homeshelf.web.body import NOT_SHOWN, Search, is_visible
from homeshelf.web.forms import Form
from homeshelf.web.ids import is_id
from homeshelf.web.pages import page_router, see_other

router = page_router("/stock/take")
scan_router = page_router("/stock/scan")

Short = Annotated[str, Query(max_length=50)]


@router.get("")
async def take_page(
    view: AdminView,
    at: Short = "",
    unit: Short = "",
    shop: Short = "",
    took: Short = "",
    more: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    made: Annotated[int, Query(ge=0)] = 0,
) -> Response:
    kept = {"locationId": at, "unit": unit, "preferredStoreId": shop}
    last = await inventory.item(view.db, view.who.family_id, took) if is_id(took) else None
    return await _page(view, Form(TakeForm, kept), last=last, more=more, made=made)


@router.post("")
async def take_stock(view: AdminView) -> Response:
    """Count one thing at once; show several first."""
    form = await view.form(TakeForm)
    if form.body is None:
        return await _page(view, form)
    asked, family_id = form.body, view.who.family_id
    if is_right(asked.written.strip()):
        return await _take_by_barcode(view, form, asked, asked.written.strip())
    wanted = await resolve_lines(
        view.db, family_id, asked.written, asked.location_id, asked.new_place
    )
    if why := _wrong(wanted):
        return await _page(view, form.but(text=why))
    is_one = len(wanted) == 1 and not asked.ticked
    if not is_one and not asked.seen:
        return await _show_first(view, form, asked, wanted)
    if is_one and asked.quantity and asked.quantity > 1:
        wanted = [replace(wanted[0], line=replace(wanted[0].line, count=asked.quantity))]
    makes_places = asked.makes_places or asked.new_place is not None
    barcode = asked.barcode if is_one else None
    around = Around(asked.location_id, asked.unit, asked.preferred_store_id, barcode)
    try:
        done = await take(
            view.services,
            family_id,
            view.who.member_id,
            wanted,
            around,
            makes_places=makes_places,
        )
    except NotFound as gone:
        return await _page(view, form.but(locationId=gone.detail))
    except Duplicate as found:
        return await _page(view, form.but(text=found.detail))
    return see_other(_next(asked, done[0]) if is_one else "/stock")


async def _take_by_barcode(
    view: AdminView, form: Form[TakeForm], asked: TakeForm, code: str
) -> Response:
    """Count the item up, or ask for the name of an unknown code."""
    item = await item_with(view.db, view.who.family_id, code)
    if item is None:
        typed = form.typed | {"text": "", "barcode": code}
        return await _page(view, Form(TakeForm, typed), unknown=code)
    if item.status != "active":
        return await _page(view, form.but(text=_("{name} is archived.", name=item.name)))
    counted = await count_up(view.db, view.who.member_id, item, asked.quantity or 1)
    return see_other(_next(asked, counted))


@router.post("/undo")
async def take_back(view: AdminView) -> Response:
    """Undo a count: delete a new item unless it was changed since, or subtract again."""
    form = await view.form(UndoForm)
    if form.body is None:
        return see_other("/stock/take")
    asked = form.body
    key = inventory.key_of(view.who.family_id, asked.item_id)
    with suppress(NotFound, VersionConflict):
        if asked.version:
            following = following_of(view.services)
            await inventory.remove(view.db, key, following, view.who.member_id, asked.version)
        else:
            await inventory.adjust(view.db, key, -asked.delta, "undo", view.who.member_id)
    return see_other(f"/stock/take?{_stays(asked)}")


@scan_router.get("")
async def scan_page(view: MemberView, q: Search = "") -> Response:
    digits = "".join(q.split())
    return await view.page(
        "stocktaking/scan.html",
        member=view.who,
        code=digits,
        is_right=is_right(digits),
        item=await item_with(view.db, view.who.family_id, digits),
    )


async def _page(
    view: AdminView,
    form: Form[TakeForm],
    last: InventoryItem | None = None,
    more: int = 0,
    made: int = 0,
    unknown: str = "",
) -> Response:
    items = await stock(view.db, view.who.family_id)
    there = {fold_name(item.name) for item in items}
    return await view.page(
        "stocktaking/take.html",
        form=form,
        locations=await places.list_locations(view.db, view.who.family_id),
        shops=await places.list_stores(view.db, view.who.family_id),
        known=[_known(item) for item in items],
        starts=STARTS,
        shelves=pantry(reader_language().code),
        is_there=lambda name: fold_name(name) in there,
        last=last,
        more=more,
        made=made,
        unknown=unknown,
        item=Form(ItemForm),
    )


async def _show_first(
    view: AdminView, form: Form[TakeForm], asked: TakeForm, wanted: Sequence[ResolvedLine]
) -> Response:
    locations = await places.list_locations(view.db, view.who.family_id)
    names: dict[str | None, str] = {each.location_id: each.name for each in locations}
    return await view.page(
        "stocktaking/lines.html",
        form=Form(TakeForm, form.typed | {"text": asked.written}),
        wanted=wanted,
        new_places=new_places(wanted),
        where=lambda each: names.get(each.kept_in(asked.location_id), _("No place")),
    )


def _wrong(wanted: Sequence[ResolvedLine]) -> str:
    lines = [each.line for each in wanted]
    if not lines or not all(is_visible(line.name) for line in lines):
        return _("Write down what you have, one item per line.")
    if len(lines) > MOST_LINES:
        return _("That’s a lot. Add up to {most} items at once.", most=MOST_LINES)
    for line in lines:
        if has_control_characters(f"{line.name} {line.unit or ''} {line.place or ''}"):
            return NOT_SHOWN
        if len(line.name) > LONGEST_NAME or len(line.unit or "") > LONGEST_UNIT:
            return _("That’s too long. Use at most {most} characters.", most=LONGEST_NAME)
        if line.place and not (len(line.place) <= LONGEST_PLACE and is_visible(line.place)):
            return _("Use at most {most} characters for a place.", most=LONGEST_PLACE)
    return ""


def _next(asked: TakeForm, taken: Taken) -> str:
    item = taken.item
    made = {"made": item.version} if taken.is_new else {}
    at = item.location_id if asked.new_place and taken.is_new else asked.location_id
    stays = _stays(asked, at)
    return f"/stock/take?{stays}&{urlencode({'took': item.item_id, 'more': taken.delta, **made})}"


def _stays(asked: TakeForm | UndoForm, at: str | None = None) -> str:
    kept = {
        "at": at or asked.location_id,
        "unit": asked.unit,
        "shop": asked.preferred_store_id,
    }
    return urlencode({name: value for name, value in kept.items() if value})


def _known(item: InventoryItem) -> dict[str, Any]:
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
