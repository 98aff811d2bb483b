"""Where things are kept and where they are bought."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from fastapi import Request, Response

from homeshelf.access import Admin, InFamily, Member
from homeshelf.access.shell import shell_of
from homeshelf.errors import Duplicate, InUse, NotFound, VersionConflict
from homeshelf.places import store
from homeshelf.places.bodies import LocationForm, NewLocation, NewStore, StoreForm
from homeshelf.places.model import Place, StorageLocation, Store
from homeshelf.places.references import references_to
from homeshelf.web.forms import Form, sent_form
from homeshelf.web.ids import LocationId, StoreId
from homeshelf.web.pages import page, see_other
from homeshelf.web.requests import page_router
from homeshelf.web.services import Services, TheServices
from homeshelf.web.wording import many

router = page_router("/places")


@router.get("")
async def places_page(request: Request, member: Member, services: TheServices) -> Response:
    return await _places(request, services, member)


@router.post("/locations")
async def add_location(request: Request, admin: Admin, services: TheServices) -> Response:
    form = await sent_form(request, NewLocation)
    if form.body is None:
        return await _places(request, services, admin, location=form)
    new = store.new_location(admin.family_id, form.body.given())
    if await _added(services, new):
        return see_other("/places")
    return await _places(request, services, admin, location=form.but(name=_TAKEN))


@router.post("/stores")
async def add_store(request: Request, admin: Admin, services: TheServices) -> Response:
    form = await sent_form(request, NewStore)
    if form.body is None:
        return await _places(request, services, admin, shop=form)
    new = store.new_store(admin.family_id, form.body.given())
    if await _added(services, new):
        return see_other("/places")
    return await _places(request, services, admin, shop=form.but(name=_TAKEN))


@router.post("/locations/{locationId}")
async def edit_location(
    request: Request, admin: Admin, location_id: LocationId, services: TheServices
) -> Response:
    return await _edited(request, services, admin, StorageLocation, location_id, LocationForm)


@router.post("/stores/{storeId}")
async def edit_store(
    request: Request, admin: Admin, store_id: StoreId, services: TheServices
) -> Response:
    return await _edited(request, services, admin, Store, store_id, StoreForm)


@router.get("/locations/{locationId}/delete")
async def delete_location_page(
    request: Request, admin: Admin, location_id: LocationId, services: TheServices
) -> Response:
    return await _question(request, services, admin, StorageLocation, location_id)


@router.get("/stores/{storeId}/delete")
async def delete_store_page(
    request: Request, admin: Admin, store_id: StoreId, services: TheServices
) -> Response:
    return await _question(request, services, admin, Store, store_id)


@router.post("/locations/{locationId}/delete")
async def delete_location(
    request: Request, admin: Admin, location_id: LocationId, services: TheServices
) -> Response:
    return await _deleted(request, services, admin, StorageLocation, location_id)


@router.post("/stores/{storeId}/delete")
async def delete_store(
    request: Request, admin: Admin, store_id: StoreId, services: TheServices
) -> Response:
    return await _deleted(request, services, admin, Store, store_id)


async def _added(services: Services, new: Place) -> bool:
    try:
        await store.add(services.db, new)
    except Duplicate:
        return False
    return True


_TAKEN = "There is one of that name."


async def _edited(
    request: Request,
    services: Services,
    admin: InFamily,
    kind: type[Place],
    place_id: str,
    model: type[LocationForm | StoreForm],
) -> Response:
    form: Form[Any] = await sent_form(request, model)
    body, as_typed = form.body, Form(model, form.typed)
    if not isinstance(body, LocationForm | StoreForm):
        if await services.db.get(kind.at(admin.family_id, place_id)) is None:
            raise NotFound
        said = next(iter(form.wrong.values()))
        return await _places(request, services, admin, said=said, edited=(place_id, as_typed))
    try:
        key = kind.at(admin.family_id, place_id)
        await store.edit(services.db, key, body.version, body.complete("version"))
    except Duplicate as there:
        return await _places(
            request, services, admin, said=there.detail, edited=(place_id, as_typed)
        )
    except VersionConflict as refused:
        return await _places(request, services, admin, said=refused.detail)
    return see_other("/places")


async def _deleted(
    request: Request, services: Services, admin: InFamily, kind: type[Place], place_id: str
) -> Response:
    try:
        references = partial(references_to, services)
        await store.remove(services.db, kind.at(admin.family_id, place_id), references)
    except InUse as used:
        return await _places(request, services, admin, said=_used(used.extra()["references"]))
    return see_other("/places")


async def _question(
    request: Request, services: Services, admin: InFamily, kind: type[Place], place_id: str
) -> Response:
    """What goes with a place, or what is in the way."""
    place = await services.db.get(kind.at(admin.family_id, place_id))
    if place is None:
        raise NotFound("This is not among your places any more.")
    found = await references_to(services, services.db, place)
    return page(
        request,
        "places/delete.html",
        shell=await shell_of(services, admin),
        place=place,
        used=_used(found) if any(found.values()) else "",
    )


async def _places(
    request: Request,
    services: Services,
    member: InFamily,
    said: str = "",
    location: Form[Any] | None = None,
    shop: Form[Any] | None = None,
    edited: tuple[str, Form[Any]] | None = None,
) -> Response:
    locations = await services.db.all(store.locations_of(member.family_id).up_to_date())
    shops = await services.db.all(store.stores_of(member.family_id).up_to_date())
    return page(
        request,
        "places/places.html",
        400 if location or shop else 200,
        shell=await shell_of(services, member),
        member=member,
        locations=sorted(locations, key=lambda each: each.name.casefold()),
        shops=sorted(shops, key=lambda each: each.name.casefold()),
        said=said,
        location=location or Form(NewLocation),
        shop=shop or Form(NewStore),
        edited=edited,
    )


def _used(found: Mapping[str, int]) -> str:
    parts = [many(found[key], *word) for key, word in _WORDS.items() if found.get(key)]
    return f"It is still named by {' and '.join(parts)}. Change those first."


_WORDS = {
    "items": ("thing in the stock", "things in the stock"),
    "shoppingItems": ("line of the list", "lines of the list"),
}
