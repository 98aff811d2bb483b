"""The pages of tags for admins: those of an item, those of the family, and printed labels."""

from collections.abc import Sequence
from itertools import groupby
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Query, Response

from homeshelf.access.view import AdminView
from homeshelf.errors import WrongState, or_not_found
from homeshelf.inventory import store as inventory
from homeshelf.inventory.fields import ItemId
from homeshelf.sentences import _
from homeshelf.table import Database
from homeshelf.taps import store
from homeshelf.taps.fields import NewTag, StopForm, UrlId
from homeshelf.taps.model import ActiveTag, NFCUrl
from homeshelf.taps.use_counts import tags_with_uses
from homeshelf.web.drawings import qr_code
from homeshelf.web.forms import Form
from homeshelf.web.pages import OutcomeKey, page_router, redirect_after, see_other
from homeshelf.web.services import BaseUrl

router = page_router()

MESSAGES = {
    "made": _("Here’s the new tag. Write its link to a sticker, or print its code."),
    "saved": _("Saved."),
    "rotated": _(
        "The tag has a new link, and the old one is dead. Write it to the "
        "sticker, or print the code again."
    ),
    "stopped": _("Turned off. The tag’s link no longer works."),
    "meanwhile": _("Someone else turned off that tag. Here’s how it looks now."),
}
PAPERS = ("A4", "Letter")

ChosenIds = Annotated[list[str], Query(max_length=500)]


@router.get("/stock/{itemId}/tags")
async def tags_page(
    view: AdminView, item_id: ItemId, base: BaseUrl, said: OutcomeKey = ""
) -> Response:
    return await _tags_page(view, item_id, base, said=said)


@router.post("/stock/{itemId}/tags")
async def make_tag(view: AdminView, item_id: ItemId, base: BaseUrl) -> Response:
    form = await view.form(NewTag)
    if form.body is None:
        return await _tags_page(view, item_id, base, form)
    key = inventory.key_of(view.who.family_id, item_id)
    await store.make(view.db, key, form.body.label, view.who.member_id)
    return see_other(_tags_url(item_id, "made"))


@router.post("/stock/{itemId}/tags/stop")
async def stop_tag(view: AdminView, item_id: ItemId) -> Response:
    """Stop a tag by the hash of its id: phones keep the item's page, so it has no address."""
    form = await view.form(StopForm)
    tags = await view.db.all(store.tags_of_item(view.who.family_id, item_id).up_to_date())
    found = or_not_found(
        next((tag for tag in tags if form.body and tag.short_hash == form.body.tag), None)
    )
    await store.revoke(view.db, found.own_key(), view.who.member_id)
    return see_other(_tags_url(item_id, "stopped"))


@router.post("/stock/{itemId}/tags/{urlId}/label")
async def relabel_tag(view: AdminView, item_id: ItemId, url_id: UrlId, base: BaseUrl) -> Response:
    form = await view.form(NewTag)
    tag = await _tag_of_item(view, item_id, url_id)
    if form.body is None:
        return await _tags_page(view, item_id, base, form, edited_tag=url_id)
    await store.relabel(view.db, tag.own_key(), form.body.label)
    return see_other(_tags_url(item_id, "saved"))


@router.post("/stock/{itemId}/tags/{urlId}/rotate")
async def rotate_tag(view: AdminView, item_id: ItemId, url_id: UrlId) -> Response:
    tag = await _tag_of_item(view, item_id, url_id)
    return await redirect_after(
        store.rotate(view.db, tag.own_key(), view.who.member_id),
        _tags_url(item_id, "rotated"),
        {WrongState: _tags_url(item_id, "meanwhile")},
    )


@router.post("/stock/{itemId}/tags/{urlId}/revoke")
async def revoke_tag(view: AdminView, item_id: ItemId, url_id: UrlId) -> Response:
    tag = await _tag_of_item(view, item_id, url_id)
    await store.revoke(view.db, tag.own_key(), view.who.member_id)
    return see_other(_tags_url(item_id, "stopped"))


@router.get("/tags")
async def family_tags_page(view: AdminView) -> Response:
    labels = await _active_tags(view.db, view.who.family_id)
    return await view.page(
        "taps/family.html",
        groups=[(item, list(some)) for item, some in groupby(labels, key=lambda it: it.item)],
        papers=PAPERS,
    )


@router.get("/tags/print")
async def print_page(
    view: AdminView,
    base: BaseUrl,
    tag: ChosenIds = [],  # noqa: B006  # FastAPI copies it
    item: ChosenIds = [],  # noqa: B006
    paper: Annotated[str, Query(max_length=10)] = PAPERS[0],
) -> Response:
    labels = await _active_tags(view.db, view.who.family_id)
    if tag or item:
        labels = [
            each for each in labels if each.tag.short_hash in tag or each.item.item_id in item
        ]
    return await view.page(
        "taps/print.html",
        labels=labels,
        base=base,
        qr_code=qr_code,
        paper=paper if paper in PAPERS else PAPERS[0],
        papers=[
            (each, urlencode({"paper": each, "tag": tag, "item": item}, doseq=True))
            for each in PAPERS
        ],
    )


async def _tag_of_item(view: AdminView, item_id: str, url_id: str) -> NFCUrl:
    tag = await store.tag_of_family(view.db, view.who.family_id, url_id)
    return or_not_found(tag if tag.item_id == item_id else None)


async def _tags_page(
    view: AdminView,
    item_id: str,
    base: str,
    form: Form[NewTag] | None = None,
    *,
    edited_tag: str = "",
    said: str = "",
) -> Response:
    item = or_not_found(
        await inventory.get_item(view.db, view.who.family_id, item_id),
        _("This is no longer in your stock."),
    )
    tags = await tags_with_uses(view.db, view.who.family_id, item_id)
    return await view.page(
        "taps/tags.html",
        item=item,
        tags=[used for used in tags if used.tag.is_active],
        base=base,
        qr_code=qr_code,
        ended=[used.tag for used in tags if not used.tag.is_active],
        form=form or Form(NewTag),
        edited_tag=edited_tag,
        said=MESSAGES.get(said, ""),
        fresh=said in ("made", "rotated"),
    )


def _tags_url(item_id: str, said: str) -> str:
    return f"/stock/{item_id}/tags?said={said}"


async def _active_tags(db: Database, family_id: str) -> Sequence[ActiveTag]:
    """Return labels by item name. The index lags, so each tag is read again."""
    hints = await db.all(store.tags_of_family(family_id).only(store.IS_ACTIVE))
    tags = await db.get_existing(hint.own_key() for hint in hints)
    found = await inventory.get_items(db, family_id, (tag.item_id for tag in tags))
    items = {item.item_id: item for item in found if item.status == "active"}
    labels = [
        ActiveTag(tag, items[tag.item_id]) for tag in tags if tag.is_active and tag.item_id in items
    ]
    return sorted(
        labels,
        key=lambda each: (
            each.item.name.casefold(),
            each.item.item_id,
            (each.tag.label or "").casefold(),
            each.tag.created_at,
        ),
    )
