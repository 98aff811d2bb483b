"""An item's tags, for admins: where they are, how they are used, and how to end one."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

import segno
from fastapi import APIRouter, Query, Request, Response
from markupsafe import Markup

from homeshelf import clock
from homeshelf.errors import NotFound, WrongState
from homeshelf.inventory import store as inventory
from homeshelf.inventory.model import InventoryItem
from homeshelf.taps import store
from homeshelf.taps.counting import monday_of
from homeshelf.taps.fields import LabelForm, UrlId
from homeshelf.taps.model import NFCUrl, WeekOfTaps, jumps
from homeshelf.web.access import Admin, InFamily
from homeshelf.web.csrf import require_same_origin
from homeshelf.web.forms import Form, sent_form
from homeshelf.web.house import House, TheHouse
from homeshelf.web.ids import ItemId
from homeshelf.web.links import BaseUrl
from homeshelf.web.pages import page, see_other
from homeshelf.web.shell import shell_of

router = APIRouter(prefix="/stock/{itemId}/tags")

WEEKS_SHOWN = 12
PAPERS = ("A4", "Letter")


@dataclass(frozen=True)
class Shown:
    """A tag as its admin sees it."""

    tag: NFCUrl
    url: str
    qr: Markup
    weeks: Sequence[tuple[str, int]]
    """How often it was used, by Mondays, oldest first."""

    @property
    def jumps(self) -> bool:
        return jumps([count for _, count in self.weeks])

    @property
    def most(self) -> int:
        return max(1, *(count for _, count in self.weeks))


@router.get("")
async def tags_page(
    request: Request, admin: Admin, item_id: ItemId, house: TheHouse, base: BaseUrl
) -> Response:
    return await _tags(request, house, admin, item_id, base, Form())


@router.post("")
async def make_tag(
    request: Request, admin: Admin, item_id: ItemId, house: TheHouse, base: BaseUrl
) -> Response:
    form = await sent_form(request, LabelForm)
    if form.body is None:
        return await _tags(request, house, admin, item_id, base, form)
    key = inventory.key_of(admin.family_id, item_id)
    await store.make(house.db, key, form.body.label, admin.member_id)
    return see_other(f"/stock/{item_id}/tags")


@router.get("/print")
async def print_page(
    request: Request,
    admin: Admin,
    item_id: ItemId,
    house: TheHouse,
    base: BaseUrl,
    paper: Annotated[str, Query(max_length=10)] = "A4",
) -> Response:
    item, shown = await _shown(house, admin, item_id, base)
    return page(
        request,
        "taps/print.html",
        shell=await shell_of(house, admin),
        item=item,
        tags=[each for each in shown if each.tag.is_active],
        paper=paper if paper in PAPERS else "A4",
        papers=PAPERS,
    )


@router.post("/{urlId}/label")
async def relabel_tag(
    request: Request, admin: Admin, item_id: ItemId, url_id: UrlId, house: TheHouse, base: BaseUrl
) -> Response:
    form = await sent_form(request, LabelForm)
    tag = await store.tag_of_family(house.db, admin.family_id, url_id)
    if form.body is None:
        return await _tags(request, house, admin, item_id, base, form)
    await store.relabel(house.db, tag.own_key(), form.body.label)
    return see_other(f"/stock/{item_id}/tags")


@router.post("/{urlId}/rotate")
async def rotate_tag(
    request: Request, admin: Admin, item_id: ItemId, url_id: UrlId, house: TheHouse
) -> Response:
    require_same_origin(request)
    tag = await store.tag_of_family(house.db, admin.family_id, url_id)
    with suppress(WrongState):  # somebody else did, and the page shows what came of it
        await store.rotate(house.db, tag.own_key(), admin.member_id)
    return see_other(f"/stock/{item_id}/tags")


@router.post("/{urlId}/revoke")
async def revoke_tag(
    request: Request, admin: Admin, item_id: ItemId, url_id: UrlId, house: TheHouse
) -> Response:
    require_same_origin(request)
    tag = await store.tag_of_family(house.db, admin.family_id, url_id)
    await store.revoke(house.db, tag.own_key(), admin.member_id)
    return see_other(f"/stock/{item_id}/tags")


async def _tags(
    request: Request,
    house: House,
    admin: InFamily,
    item_id: str,
    base: str,
    form: Form[LabelForm],
) -> Response:
    item, shown = await _shown(house, admin, item_id, base)
    return page(
        request,
        "taps/tags.html",
        400 if form.wrong else 200,
        shell=await shell_of(house, admin),
        item=item,
        tags=[each for each in shown if each.tag.is_active],
        ended=[each.tag for each in shown if not each.tag.is_active],
        form=form,
    )


async def _shown(
    house: House, admin: InFamily, item_id: str, base: str
) -> tuple[InventoryItem, list[Shown]]:
    item = await inventory.item(house.db, admin.family_id, item_id)
    if item is None:
        raise NotFound("This is not in your stock any more.")
    tags = await house.db.all(store.tags_of_item(admin.family_id, item_id).up_to_date())
    weeks = await house.db.all(store.weeks_of_item(admin.family_id, item_id))
    now = clock.now()
    newest = sorted(tags, key=lambda tag: tag.created_at, reverse=True)
    return item, [
        Shown(tag, f"{base}{tag.path}", _qr(f"{base}{tag.path}"), _weeks_of(tag, weeks, now))
        for tag in newest
    ]


def _weeks_of(tag: NFCUrl, weeks: Sequence[WeekOfTaps], now: datetime) -> list[tuple[str, int]]:
    counts = {week.week: week.count for week in weeks if week.url_id == tag.url_id}
    mondays = [monday_of(now - timedelta(weeks=ago)) for ago in reversed(range(WEEKS_SHOWN))]
    return [(monday, counts.get(monday, 0)) for monday in mondays]


def _qr(link: str) -> Markup:
    picture = segno.make(link, error="m", micro=False)
    drawn = picture.svg_inline(border=2, omitsize=True, svgclass="qr", lineclass=None)
    return Markup(drawn)  # noqa: S704  # drawn by the library
