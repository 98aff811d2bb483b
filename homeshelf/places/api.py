from functools import partial

from fastapi import Response

from homeshelf.access import Admin, InFamily, Member
from homeshelf.coordination.transaction import existing
from homeshelf.places import store
from homeshelf.places.fields import (
    LocationChange,
    LocationId,
    NewLocation,
    NewStore,
    StoreChange,
    StoreId,
)
from homeshelf.places.model import Place, StorageLocation, Store
from homeshelf.table import Database
from homeshelf.web.json import Json, shown
from homeshelf.web.openapi import operation_responses, page_of
from homeshelf.web.paging import PageAsked
from homeshelf.web.requests import api_router
from homeshelf.web.services import Db, TheServices

router = api_router()


@router.get("/locations", responses=operation_responses(page_of(StorageLocation)))
async def locations(member: Member, paging: PageAsked, db: Db) -> Response:
    return await paging.answer(db, member.caller, store.locations_of(member.family_id))


@router.post(
    "/locations", status_code=201, responses=operation_responses(StorageLocation, status=201)
)
async def add_location(admin: Admin, body: NewLocation, db: Db) -> Response:
    return await _add_place(db, StorageLocation, admin, body)


@router.get("/locations/{locationId}", responses=operation_responses(StorageLocation))
async def location(member: Member, location_id: LocationId, db: Db) -> Response:
    return Json(shown(await existing(db, StorageLocation.key_for(member.family_id, location_id))))


@router.patch("/locations/{locationId}", responses=operation_responses(StorageLocation))
async def edit_location(
    admin: Admin, location_id: LocationId, body: LocationChange, db: Db
) -> Response:
    return await _edit_place(db, StorageLocation, admin, location_id, body)


@router.delete("/locations/{locationId}", status_code=204)
async def remove_location(admin: Admin, location_id: LocationId, services: TheServices) -> None:
    key = StorageLocation.key_for(admin.family_id, location_id)
    await store.remove_place(services.db, key, partial(store.count_references, services))


@router.get("/stores", responses=operation_responses(page_of(Store)))
async def stores(member: Member, paging: PageAsked, db: Db) -> Response:
    return await paging.answer(db, member.caller, store.stores_of(member.family_id))


@router.post("/stores", status_code=201, responses=operation_responses(Store, status=201))
async def add_store(admin: Admin, body: NewStore, db: Db) -> Response:
    return await _add_place(db, Store, admin, body)


@router.get("/stores/{storeId}", responses=operation_responses(Store))
async def one_store(member: Member, store_id: StoreId, db: Db) -> Response:
    return Json(shown(await existing(db, Store.key_for(member.family_id, store_id))))


@router.patch("/stores/{storeId}", responses=operation_responses(Store))
async def edit_store(admin: Admin, store_id: StoreId, body: StoreChange, db: Db) -> Response:
    return await _edit_place(db, Store, admin, store_id, body)


@router.delete("/stores/{storeId}", status_code=204)
async def remove_store(admin: Admin, store_id: StoreId, services: TheServices) -> None:
    key = Store.key_for(admin.family_id, store_id)
    await store.remove_place(services.db, key, partial(store.count_references, services))


async def _add_place(
    db: Database, kind: type[Place], admin: InFamily, body: NewLocation | NewStore
) -> Response:
    return await admin.request.respond(
        db, lambda unit: store.add_place(unit, kind, admin.family_id, body.given()), status=201
    )


async def _edit_place(
    db: Database,
    kind: type[Place],
    admin: InFamily,
    place_id: str,
    body: LocationChange | StoreChange,
) -> Response:
    key = kind.key_for(admin.family_id, place_id)
    return await admin.request.respond(
        db, lambda unit: store.edit_place(unit, key, body.version, body.given("version"))
    )
