from typing import Any, Literal

import segno
from fastapi import Response

from homeshelf.access import Admin
from homeshelf.coordination.transaction import existing
from homeshelf.inventory import store as inventory
from homeshelf.inventory.adjustments import AdjustmentResult
from homeshelf.inventory.fields import ItemId
from homeshelf.table import Database, attr
from homeshelf.taps import store
from homeshelf.taps.access import FoundTag, TappedTag
from homeshelf.taps.fields import NewTag, TagChange, Tap, UrlId
from homeshelf.taps.model import NFCUrl, tap_message
from homeshelf.web.body import Empty
from homeshelf.web.json import Json, shown
from homeshelf.web.openapi import extended, operation_responses, page_of
from homeshelf.web.paging import PageAsked
from homeshelf.web.requests import api_router
from homeshelf.web.services import BaseUrl, Db

router = api_router()

WITH_URL = extended(NFCUrl, url=str)


@router.get("/items/{itemId}/nfc-urls", responses=operation_responses(page_of(NFCUrl)))
async def tags_of_item(admin: Admin, item_id: ItemId, asked: PageAsked, db: Db) -> Response:
    await existing(db, inventory.key_of(admin.family_id, item_id))
    tags = store.tags_of_item(admin.family_id, item_id).up_to_date()
    return await asked.answer(db, admin.caller, tags)


def _with_url(base: str, tag: dict[str, Any]) -> dict[str, Any]:
    return tag | {"url": f"{base}/t/{tag['urlId']}"}


@router.post(
    "/items/{itemId}/nfc-urls",
    status_code=201,
    responses=operation_responses(WITH_URL, 422, status=201),
)
async def make_tag(
    admin: Admin, item_id: ItemId, db: Db, base: BaseUrl, body: NewTag | None = None
) -> Response:
    async def add_url(tag: dict[str, Any], _made: NFCUrl | None) -> dict[str, Any]:
        return _with_url(base, tag)

    key, label = inventory.key_of(admin.family_id, item_id), body.label if body else None
    return await admin.request.respond(
        db,
        lambda unit: store.make(unit, key, label, admin.member_id),
        status=201,
        add_secret=add_url,
    )


@router.get("/nfc-urls", responses=operation_responses(page_of(NFCUrl)))
async def tags_of_family(
    admin: Admin, asked: PageAsked, db: Db, status: Literal["active", "inactive", "all"] = "active"
) -> Response:
    query = store.tags_of_family(admin.family_id)
    if status != "all":
        query = query.only(attr("isActive") == (status == "active"))
    return await asked.answer(db, admin.caller, query)


@router.patch("/nfc-urls/{urlId}", responses=operation_responses(NFCUrl))
async def relabel_tag(admin: Admin, url_id: UrlId, body: TagChange, db: Db) -> Response:
    async def relabel(unit: Database) -> NFCUrl:
        tag = await store.tag_of_family(unit, admin.family_id, url_id)
        label = body.label if "label" in body.given() else tag.label
        return await store.relabel(unit, tag.own_key(), label)

    return await admin.request.respond(db, relabel)


@router.post(
    "/nfc-urls/{urlId}/rotate",
    responses=operation_responses({"oldUrl": NFCUrl, "newUrl": WITH_URL}),
)
async def rotate_tag(
    admin: Admin, url_id: UrlId, db: Db, base: BaseUrl, _nothing: Empty = None
) -> Response:
    async def rotate(unit: Database) -> tuple[NFCUrl, NFCUrl]:
        tag = await store.tag_of_family(unit, admin.family_id, url_id)
        return await store.rotate(unit, tag.own_key(), admin.member_id)

    async def add_url(tags: dict[str, Any], _both: tuple[NFCUrl, NFCUrl] | None) -> dict[str, Any]:
        return tags | {"newUrl": _with_url(base, tags["newUrl"])}

    def rotation_json(both: tuple[NFCUrl, NFCUrl]) -> dict[str, Any]:
        return {"oldUrl": shown(both[0]), "newUrl": shown(both[1])}

    return await admin.request.respond(db, rotate, rotation_json, add_secret=add_url)


@router.delete("/nfc-urls/{urlId}", status_code=204)
async def revoke_tag(admin: Admin, url_id: UrlId, db: Db) -> None:
    key = await store.key_of_tag(db, admin.family_id, url_id)
    await store.revoke(db, key, admin.member_id)


@router.get(
    "/nfc-urls/{urlId}/qr.svg",
    response_class=Response,
    responses=operation_responses(kinds=("image/svg+xml",)),
)
async def qr_code(admin: Admin, url_id: UrlId, db: Db, base: BaseUrl) -> Response:
    tag = await store.tag_of_family(db, admin.family_id, url_id)
    svg = segno.make(f"{base}{tag.path}", error="m", micro=False).svg_inline(
        border=4, scale=8, light="#fff", svgclass=None, lineclass=None
    )
    svg = svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    return Response(svg, media_type="image/svg+xml", headers={"Cache-Control": "no-store"})


@router.get(
    "/taps/{urlId}",
    responses=operation_responses({"itemName": str, "quantity": int, "unit": str | None}, 429),
)
async def seen(active: FoundTag) -> Response:
    item = active.item
    return Json({"itemName": item.name, "quantity": item.quantity, "unit": item.unit})


@router.post(
    "/taps/{urlId}",
    responses=operation_responses(
        {"itemName": str, "quantity": int, "applied": int, "message": str}
    ),
)
async def tapped(at: TappedTag, body: Tap, db: Db) -> Response:
    def tap_json(result: AdjustmentResult) -> dict[str, Any]:
        return {
            "itemName": result.item.name,
            "quantity": result.item.quantity,
            "applied": result.applied,
            "message": tap_message(result.item, result.applied, undo=body.undo),
        }

    return await at.request.respond(
        db, lambda unit: store.tap(unit, at.active, body.delta, undo=body.undo), tap_json
    )
