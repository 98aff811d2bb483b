"""The pages that list, add, edit and delete places."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from fastapi import Depends, Request, Response

from homeshelf.access.view import AdminView, MemberView
from homeshelf.coordination.transaction import existing
from homeshelf.errors import Duplicate, InUse, VersionConflict, or_not_found
from homeshelf.places import store
from homeshelf.places.fields import LocationForm, NewLocation, NewStore, StoreForm
from homeshelf.places.model import Place, StorageLocation, Store
from homeshelf.sentences import _, ngettext
from homeshelf.web.forms import Form
from homeshelf.web.ids import is_id
from homeshelf.web.pages import page_router, see_other

router = page_router("/places")


@dataclass(frozen=True)
class Kind:
    record: type[Place]
    new: type[NewLocation | NewStore]
    form: type[LocationForm | StoreForm]
    name: str
    """The name of the form for a new place."""


KINDS = {
    "locations": Kind(StorageLocation, NewLocation, LocationForm, "location"),
    "stores": Kind(Store, NewStore, StoreForm, "shop"),
}


async def _requested_kind(request: Request) -> Kind:
    return KINDS[request.scope["path"].split("/")[2]]


async def _place_id(request: Request) -> str:
    named: str = next(iter(request.path_params.values()))
    return or_not_found(named.lower() if is_id(named) else None)


RequestedKind = Annotated[Kind, Depends(_requested_kind)]
PlaceId = Annotated[str, Depends(_place_id)]
_TAKEN = _("You already have one called that.")


@router.get("")
async def places_page(view: MemberView) -> Response:
    return await _show_places(view)


@router.post("/locations")
@router.post("/stores")
async def add_place(view: AdminView, kind: RequestedKind) -> Response:
    form: Form[Any] = await view.form(kind.new)
    if form.body is not None:
        try:
            await store.add_place(view.db, kind.record, view.who.family_id, form.body.given())
        except Duplicate:
            form = form.but(name=_TAKEN)
        else:
            return see_other("/places")
    return await _show_places(view, new={kind.name: form})


@router.post("/locations/{locationId}")
@router.post("/stores/{storeId}")
async def edit_place(view: AdminView, kind: RequestedKind, place_id: PlaceId) -> Response:
    form: Form[Any] = await view.form(kind.form)
    key = kind.record.key_for(view.who.family_id, place_id)
    if form.body is None:
        await existing(view.db, key)
        return await _show_places(view, edited_id=place_id, edited=form)
    try:
        await store.edit_place(view.db, key, form.body.version, form.body.complete("version"))
    except Duplicate:
        return await _show_places(view, edited_id=place_id, edited=form.but(name=_TAKEN))
    except VersionConflict:
        said = _("Someone else changed this. Check it, then save.")
        return await _show_places(view, 409, said, place_id, form.without("version"))
    return see_other("/places")


@router.post("/locations/{locationId}/delete")
@router.post("/stores/{storeId}/delete")
async def delete_place(view: AdminView, kind: RequestedKind, place_id: PlaceId) -> Response:
    try:
        key = kind.record.key_for(view.who.family_id, place_id)
        await store.remove_place(view.db, key, partial(store.count_references, view.services))
    except InUse as in_use:
        return await _show_places(view, in_use.status, _usage_message(in_use.extra["references"]))
    return see_other("/places")


@router.get("/locations/{locationId}/delete")
@router.get("/stores/{storeId}/delete")
async def delete_place_page(view: AdminView, kind: RequestedKind, place_id: PlaceId) -> Response:
    place = or_not_found(
        await view.db.get(kind.record.key_for(view.who.family_id, place_id)),
        _("This is no longer one of your places."),
    )
    found = await store.count_references(view.services, view.db, place)
    return await view.page(
        "places/delete.html", place=place, used=_usage_message(found) if any(found.values()) else ""
    )


async def _show_places(
    view: MemberView,
    status: int | None = None,
    said: str = "",
    edited_id: str = "",
    edited: Form[Any] | None = None,
    new: Mapping[str, Form[Any]] | None = None,
) -> Response:
    blank: dict[str, Form[Any]] = {kind.name: Form(kind.new) for kind in KINDS.values()}
    return await view.page(
        "places/places.html",
        status,
        member=view.who,
        locations=await store.list_locations(view.db, view.who.family_id),
        shops=await store.list_stores(view.db, view.who.family_id),
        said=said,
        edited_id=edited_id,
        edited=edited,
        **(blank | dict(new or {})),
    )


def _usage_message(found: Mapping[str, int]) -> str:
    items, lines = found.get("items", 0), found.get("shoppingItems", 0)
    things = ngettext("{count} item in your stock", "{count} items in your stock", items)
    listed = ngettext("{count} item on the list", "{count} items on the list", lines)
    if items and lines:
        return _(
            "Still used by {things} and {lines}. Change those first.", things=things, lines=listed
        )
    return _("Still used by {things}. Change those first.", things=things if items else listed)
