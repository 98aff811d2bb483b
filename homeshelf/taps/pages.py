"""An item's tags, for admins: where they are, how they are used, and how to end one."""

from contextlib import suppress
from dataclasses import dataclass

from fastapi import Response
from markupsafe import Markup

from homeshelf.access.view import AdminView
from homeshelf.errors import NotFound, WrongState, or_not_found
from homeshelf.inventory import store as inventory
from homeshelf.sentences import _
from homeshelf.taps import store
from homeshelf.taps.bodies import NewTag, StopForm
from homeshelf.taps.fields import UrlId
from homeshelf.taps.model import NFCUrl
from homeshelf.taps.uses import UsedTag, used_tags
from homeshelf.web.drawings import qr_code
from homeshelf.web.forms import Form
from homeshelf.web.ids import ItemId
from homeshelf.web.links import BaseUrl
from homeshelf.web.pages import Said, see_other
from homeshelf.web.requests import page_router

router = page_router("/stock/{itemId}/tags")

SAID = {
    "made": _("Here is the new tag. Write its address to a sticker, or print its code."),
    "saved": _("Saved."),
    "rotated": _(
        "It has a new address, and the old one is dead. Write the new one to the sticker, "
        "or print its code again."
    ),
    "stopped": _("Stopped. Its address opens nothing any more."),
    "meanwhile": _("Somebody else ended that tag meanwhile. Here is how it is now."),
}
FRESH = ("made", "rotated")


@dataclass(frozen=True)
class Shown:
    """A tag as its admin sees it."""

    used: UsedTag
    url: str

    @property
    def tag(self) -> NFCUrl:
        return self.used.tag

    @property
    def qr(self) -> Markup:
        return qr_code(self.url)


@router.get("")
async def tags_page(view: AdminView, item_id: ItemId, base: BaseUrl, said: Said = "") -> Response:
    return await _tags(view, item_id, base, said=said)


@router.post("")
async def make_tag(view: AdminView, item_id: ItemId, base: BaseUrl) -> Response:
    form = await view.form(NewTag)
    if form.body is None:
        return await _tags(view, item_id, base, form)
    key = inventory.key_of(view.who.family_id, item_id)
    await store.make(view.db, key, form.body.label, view.who.member_id)
    return _back(item_id, "made")


@router.post("/stop")
async def stop_tag(view: AdminView, item_id: ItemId) -> Response:
    """From the item's page, which knows no address: phones keep it for when there is no signal."""
    form = await view.form(StopForm)
    tags = await view.db.all(store.tags_of_item(view.who.family_id, item_id).up_to_date())
    found = or_not_found(
        next((tag for tag in tags if form.body and tag.mark == form.body.tag), None)
    )
    await store.revoke(view.db, found.own_key(), view.who.member_id)
    return _back(item_id, "stopped")


@router.post("/{urlId}/label")
async def relabel_tag(view: AdminView, item_id: ItemId, url_id: UrlId, base: BaseUrl) -> Response:
    form = await view.form(NewTag)
    tag = await _tag(view, item_id, url_id)
    if form.body is None:
        return await _tags(view, item_id, base, form, relabelled=url_id)
    await store.relabel(view.db, tag.own_key(), form.body.label)
    return _back(item_id, "saved")


@router.post("/{urlId}/rotate")
async def rotate_tag(view: AdminView, item_id: ItemId, url_id: UrlId) -> Response:
    tag = await _tag(view, item_id, url_id)
    with suppress(WrongState):
        await store.rotate(view.db, tag.own_key(), view.who.member_id)
        return _back(item_id, "rotated")
    return _back(item_id, "meanwhile")


@router.post("/{urlId}/revoke")
async def revoke_tag(view: AdminView, item_id: ItemId, url_id: UrlId) -> Response:
    tag = await _tag(view, item_id, url_id)
    await store.revoke(view.db, tag.own_key(), view.who.member_id)
    return _back(item_id, "stopped")


async def _tag(view: AdminView, item_id: str, url_id: str) -> NFCUrl:
    """A tag of this item; another one's is as absent as none."""
    tag = await store.tag_of_family(view.db, view.who.family_id, url_id)
    if tag.item_id != item_id:
        raise NotFound
    return tag


async def _tags(
    view: AdminView,
    item_id: str,
    base: str,
    form: Form[NewTag] | None = None,
    *,
    relabelled: str = "",
    said: str = "",
) -> Response:
    item = or_not_found(
        await inventory.item(view.db, view.who.family_id, item_id),
        _("This is not in your stock any more."),
    )
    tags = await used_tags(view.db, view.who.family_id, item_id)
    return await view.page(
        "taps/tags.html",
        item=item,
        tags=[Shown(used, f"{base}{used.tag.path}") for used in tags if used.tag.is_active],
        ended=[used.tag for used in tags if not used.tag.is_active],
        form=form or Form(NewTag),
        relabelled=relabelled,
        said=SAID.get(said, ""),
        fresh=said in FRESH,
    )


def _back(item_id: str, said: str) -> Response:
    return see_other(f"/stock/{item_id}/tags?said={said}")
