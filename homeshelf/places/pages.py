"""Where things are kept and where they are bought."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from fastapi import Response

from homeshelf.access.view import AdminView, MemberView
from homeshelf.errors import Duplicate, InUse, NotFound, VersionConflict
from homeshelf.places import store
from homeshelf.places.bodies import LocationForm, NewLocation, NewStore, StoreForm
from homeshelf.places.model import Place, StorageLocation, Store
from homeshelf.places.references import references_to
from homeshelf.sentences import _, ngettext
from homeshelf.web.forms import Form
from homeshelf.web.ids import LocationId, StoreId
from homeshelf.web.pages import see_other
from homeshelf.web.requests import page_router

router = page_router("/places")


@router.get("")
async def places_page(view: MemberView) -> Response:
    return await _places(view)


@router.post("/locations")
async def add_location(view: AdminView) -> Response:
    return await _added(view, LOCATIONS)


@router.post("/stores")
async def add_store(view: AdminView) -> Response:
    return await _added(view, STORES)


@router.post("/locations/{locationId}")
async def edit_location(view: AdminView, location_id: LocationId) -> Response:
    return await _edited(view, LOCATIONS, location_id)


@router.post("/stores/{storeId}")
async def edit_store(view: AdminView, store_id: StoreId) -> Response:
    return await _edited(view, STORES, store_id)


@router.get("/locations/{locationId}/delete")
async def delete_location_page(view: AdminView, location_id: LocationId) -> Response:
    return await _question(view, LOCATIONS, location_id)


@router.get("/stores/{storeId}/delete")
async def delete_store_page(view: AdminView, store_id: StoreId) -> Response:
    return await _question(view, STORES, store_id)


@router.post("/locations/{locationId}/delete")
async def delete_location(view: AdminView, location_id: LocationId) -> Response:
    return await _deleted(view, LOCATIONS, location_id)


@router.post("/stores/{storeId}/delete")
async def delete_store(view: AdminView, store_id: StoreId) -> Response:
    return await _deleted(view, STORES, store_id)


@dataclass(frozen=True)
class Kind:
    record: type[Place]
    new: type[NewLocation | NewStore]
    form: type[LocationForm | StoreForm]
    name: str
    """Of the form for a new one, on the page."""


LOCATIONS = Kind(StorageLocation, NewLocation, LocationForm, "location")
STORES = Kind(Store, NewStore, StoreForm, "shop")


async def _added(view: AdminView, kind: Kind) -> Response:
    form: Form[Any] = await view.form(kind.new)
    if form.body is not None:
        try:
            await store.add(
                view.db, store.new_place(kind.record, view.who.family_id, form.body.given())
            )
        except Duplicate:
            form = form.but(name=_("There is one of that name."))
        else:
            return see_other("/places")
    return await _places(view, new={kind.name: form})


async def _edited(view: AdminView, kind: Kind, place_id: str) -> Response:
    form: Form[Any] = await view.form(kind.form)
    key = kind.record.at(view.who.family_id, place_id)
    edited = place_id, Form(kind.form, form.typed)
    if form.body is None:
        if await view.db.get(key) is None:
            raise NotFound
        return await _places(view, said=next(iter(form.wrong.values())), edited=edited)
    try:
        await store.edit(view.db, key, form.body.version, form.body.complete("version"))
    except Duplicate as there:
        return await _places(view, said=there.detail, edited=edited)
    except VersionConflict as refused:
        return await _places(view, said=refused.detail)
    return see_other("/places")


async def _deleted(view: AdminView, kind: Kind, place_id: str) -> Response:
    try:
        key = kind.record.at(view.who.family_id, place_id)
        await store.remove(view.db, key, partial(references_to, view.services))
    except InUse as used:
        return await _places(view, said=_used(used.extra()["references"]))
    return see_other("/places")


async def _question(view: AdminView, kind: Kind, place_id: str) -> Response:
    """What goes with a place, or what is in the way."""
    place = await view.db.get(kind.record.at(view.who.family_id, place_id))
    if place is None:
        raise NotFound(_("This is not among your places any more."))
    found = await references_to(view.services, view.db, place)
    return await view.page(
        "places/delete.html",
        place=place,
        used=_used(found) if any(found.values()) else "",
    )


async def _places(
    view: MemberView,
    said: str = "",
    edited: tuple[str, Form[Any]] | None = None,
    new: Mapping[str, Form[Any]] | None = None,
) -> Response:
    locations = await view.db.all(store.locations_of(view.who.family_id).up_to_date())
    shops = await view.db.all(store.stores_of(view.who.family_id).up_to_date())
    blank: dict[str, Form[Any]] = {kind.name: Form(kind.new) for kind in (LOCATIONS, STORES)}
    return await view.page(
        "places/places.html",
        member=view.who,
        locations=sorted(locations, key=lambda each: each.name.casefold()),
        shops=sorted(shops, key=lambda each: each.name.casefold()),
        said=said,
        edited=edited,
        **(blank | dict(new or {})),
    )


def _used(found: Mapping[str, int]) -> str:
    parts = [ngettext(*words, found[key]) for key, words in _NAMED.items() if found.get(key)]
    named = parts[0] if len(parts) == 1 else _("{one} and {other}", one=parts[0], other=parts[1])
    return _("It is still named by {named}. Change those first.", named=named)


_NAMED = {
    "items": ("{count} thing in the stock", "{count} things in the stock"),
    "shoppingItems": ("{count} line of the list", "{count} lines of the list"),
}
