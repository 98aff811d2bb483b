from typing import Any, Literal

import segno
from fastapi import Request, Response

from homeshelf.access import Admin
from homeshelf.coordination.transaction import existing
from homeshelf.inventory import store as inventory
from homeshelf.inventory.adjustments import Adjusted
from homeshelf.table import attr
from homeshelf.taps import store
from homeshelf.taps.access import Seen, Tapped
from homeshelf.taps.bodies import NewTag, TagChange, Tap
from homeshelf.taps.fields import UrlId
from homeshelf.taps.model import NFCUrl, said
from homeshelf.web.body import Empty
from homeshelf.web.idempotency import minting
from homeshelf.web.ids import ItemId
from homeshelf.web.json import Json, shown
from homeshelf.web.openapi import answers, extended, page_of
from homeshelf.web.paging import PageAsked
from homeshelf.web.requests import api_router
from homeshelf.web.services import BaseUrl, Db, base_url

router = api_router()

WITH_URL = extended(NFCUrl, url=str)


@router.get("/items/{itemId}/nfc-urls")
@answers(page_of(NFCUrl))
async def tags_of_item(admin: Admin, item_id: ItemId, asked: PageAsked, db: Db) -> Response:
    await existing(db, inventory.key_of(admin.family_id, item_id))
    tags = store.tags_of_item(admin.family_id, item_id).up_to_date()
    return await asked.answer(db, admin.caller, tags)


async def _with_url(request: Request, kept: dict[str, Any]) -> dict[str, Any]:
    return kept | {"url": f"{base_url(request)}/t/{kept['urlId']}"}


async def _with_new_url(request: Request, kept: dict[str, Any]) -> dict[str, Any]:
    return kept | {"newUrl": await _with_url(request, kept["newUrl"])}


@router.post("/items/{itemId}/nfc-urls", status_code=201)
@answers(WITH_URL, 422)
@minting(_with_url)
async def make_tag(
    admin: Admin, item_id: ItemId, db: Db, base: BaseUrl, body: NewTag | None = None
) -> Response:
    unit, key = admin.once.unit(db, shown, 201), inventory.key_of(admin.family_id, item_id)
    made = await store.make(unit, key, body.label if body else None, admin.member_id)
    return Json(shown(made, url=f"{base}{made.path}"), 201)


@router.get("/nfc-urls")
@answers(page_of(NFCUrl))
async def tags_of_family(
    admin: Admin,
    asked: PageAsked,
    db: Db,
    status: Literal["active", "inactive", "all"] = "active",
) -> Response:
    query = store.tags_of_family(admin.family_id)
    if status != "all":
        query = query.only(attr("isActive") == (status == "active"))
    return await asked.answer(db, admin.caller, query)


@router.patch("/nfc-urls/{urlId}")
@answers(NFCUrl)
async def relabel_tag(admin: Admin, url_id: UrlId, body: TagChange, db: Db) -> Response:
    tag = await store.tag_of_family(db, admin.family_id, url_id)
    label = body.label if "label" in body.given() else tag.label
    return await admin.once.answer(db, lambda unit: store.relabel(unit, tag.own_key(), label))


@router.post("/nfc-urls/{urlId}/rotate")
@answers({"oldUrl": NFCUrl, "newUrl": WITH_URL})
@minting(_with_new_url)
async def rotate_tag(
    admin: Admin, url_id: UrlId, db: Db, base: BaseUrl, _nothing: Empty = None
) -> Response:
    tag = await store.tag_of_family(db, admin.family_id, url_id)
    old, new = await store.rotate(admin.once.unit(db, _rotated), tag.own_key(), admin.member_id)
    return Json({"oldUrl": shown(old), "newUrl": shown(new, url=f"{base}{new.path}")})


@router.delete("/nfc-urls/{urlId}", status_code=204)
async def revoke_tag(admin: Admin, url_id: UrlId, db: Db) -> None:
    key = await store.key_of_tag(db, admin.family_id, url_id)
    await store.revoke(db, key, admin.member_id)


@router.get("/nfc-urls/{urlId}/qr.svg", response_class=Response)
@answers(kinds=("image/svg+xml",))
async def qr_code(admin: Admin, url_id: UrlId, db: Db, base: BaseUrl) -> Response:
    tag = await store.tag_of_family(db, admin.family_id, url_id)
    drawn = segno.make(f"{base}{tag.path}", error="m", micro=False).svg_inline(
        border=4, scale=8, light="#fff", svgclass=None, lineclass=None
    )
    return Response(
        drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1),
        media_type="image/svg+xml",
        headers={"Cache-Control": "no-store"},
    )


@router.get("/taps/{urlId}")
@answers({"itemName": str, "quantity": int, "unit": str | None}, 429)
async def seen(opened: Seen) -> Response:
    return Json(
        {
            "itemName": opened.item.name,
            "quantity": opened.item.quantity,
            "unit": opened.item.unit,
        }
    )


@router.post("/taps/{urlId}")
@answers({"itemName": str, "quantity": int, "applied": int, "message": str})
async def tapped(at: Tapped, body: Tap, db: Db) -> Response:
    def answered(result: Adjusted) -> dict[str, Any]:
        return {
            "itemName": result.item.name,
            "quantity": result.item.quantity,
            "applied": result.applied,
            "message": said(result.item, result.applied, undo=body.undo),
        }

    return await at.once.answer(
        db, lambda unit: store.tap(unit, at.opened, body.delta, undo=body.undo), answered
    )


def _rotated(both: tuple[NFCUrl, NFCUrl]) -> dict[str, Any]:
    return {"oldUrl": shown(both[0]), "newUrl": shown(both[1])}
