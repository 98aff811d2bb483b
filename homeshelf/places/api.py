from fastapi import Response

from homeshelf.access import Admin, InFamily, Member
from homeshelf.errors import NotFound
from homeshelf.places import store
from homeshelf.places.bodies import LocationChange, NewLocation, NewStore, StoreChange
from homeshelf.places.model import Place, StorageLocation, Store
from homeshelf.places.references import ReferencesTo
from homeshelf.table import Database
from homeshelf.web.ids import LocationId, StoreId
from homeshelf.web.json import Json, shown
from homeshelf.web.openapi import answers, page_of
from homeshelf.web.paging import PageAsked
from homeshelf.web.requests import api_router
from homeshelf.web.services import Db

router = api_router()


@router.get("/locations")
@answers(page_of(StorageLocation))
async def locations(member: Member, asked: PageAsked, db: Db) -> Response:
    query = store.locations_of(member.family_id).page(asked.limit, asked.start(member.caller))
    return Json(asked.listed(member.caller, await db.query(query), shown))


@router.post("/locations", status_code=201)
@answers(StorageLocation)
async def add_location(admin: Admin, body: NewLocation, db: Db) -> Response:
    new = store.new_place(StorageLocation, admin.family_id, body.given())
    return Json(shown(await store.add(admin.once.unit(db, shown, 201), new)), 201)


@router.get("/locations/{locationId}")
@answers(StorageLocation)
async def location(member: Member, location_id: LocationId, db: Db) -> Response:
    return _found(await store.location(db, member.family_id, location_id))


@router.patch("/locations/{locationId}")
@answers(StorageLocation)
async def edit_location(
    admin: Admin, location_id: LocationId, body: LocationChange, db: Db
) -> Response:
    return await _edited(db, StorageLocation, admin, location_id, body)


@router.delete("/locations/{locationId}", status_code=204)
async def remove_location(
    admin: Admin, location_id: LocationId, db: Db, references: ReferencesTo
) -> Response:
    await store.remove(db, StorageLocation.at(admin.family_id, location_id), references)
    return Response(status_code=204)


@router.get("/stores")
@answers(page_of(Store))
async def stores(member: Member, asked: PageAsked, db: Db) -> Response:
    query = store.stores_of(member.family_id).page(asked.limit, asked.start(member.caller))
    return Json(asked.listed(member.caller, await db.query(query), shown))


@router.post("/stores", status_code=201)
@answers(Store)
async def add_store(admin: Admin, body: NewStore, db: Db) -> Response:
    new = store.new_place(Store, admin.family_id, body.given())
    return Json(shown(await store.add(admin.once.unit(db, shown, 201), new)), 201)


@router.get("/stores/{storeId}")
@answers(Store)
async def one_store(member: Member, store_id: StoreId, db: Db) -> Response:
    return _found(await store.shop(db, member.family_id, store_id))


@router.patch("/stores/{storeId}")
@answers(Store)
async def edit_store(admin: Admin, store_id: StoreId, body: StoreChange, db: Db) -> Response:
    return await _edited(db, Store, admin, store_id, body)


@router.delete("/stores/{storeId}", status_code=204)
async def remove_store(
    admin: Admin, store_id: StoreId, db: Db, references: ReferencesTo
) -> Response:
    await store.remove(db, Store.at(admin.family_id, store_id), references)
    return Response(status_code=204)


def _found(place: Place | None) -> Response:
    if place is None:
        raise NotFound
    return Json(shown(place))


async def _edited(
    db: Database,
    kind: type[Place],
    admin: InFamily,
    place_id: str,
    body: LocationChange | StoreChange,
) -> Response:
    unit, key = admin.once.unit(db, shown), kind.at(admin.family_id, place_id)
    return Json(shown(await store.edit(unit, key, body.version, body.given("version"))))
