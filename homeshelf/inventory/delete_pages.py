"""Deleting something for good: a question that names what goes with it, and the deed."""

from collections import Counter

from fastapi import Response

from homeshelf.access.view import AdminView
from homeshelf.errors import VersionConflict, or_not_found
from homeshelf.inventory import store
from homeshelf.inventory.bodies import DeleteForm
from homeshelf.inventory.following import FollowingItems, following_of
from homeshelf.sentences import _
from homeshelf.web.ids import ItemId
from homeshelf.web.pages import see_other
from homeshelf.web.requests import page_router

router = page_router("/stock")


@router.get("/{itemId}/delete")
async def delete_item_page(view: AdminView, item_id: ItemId) -> Response:
    return await _question(view, item_id)


@router.post("/{itemId}/delete")
async def delete_item(view: AdminView, item_id: ItemId, following: FollowingItems) -> Response:
    """As it was when the question was asked: what somebody changed since is asked about anew."""
    form = await view.form(DeleteForm)
    if form.body is None:
        return await _question(view, item_id)
    key = store.key_of(view.who.family_id, item_id)
    try:
        await store.remove(view.db, key, following, view.who.member_id, form.body.version)
    except VersionConflict:
        return await _question(view, item_id, 409)
    return see_other("/stock")


async def _question(view: AdminView, item_id: str, status: int = 200) -> Response:
    family_id = view.who.family_id
    item = or_not_found(
        await store.item(view.db, family_id, item_id), _("This is not in your stock any more.")
    )
    left = Counter[str]()
    for each in following_of(view.services):
        left.update(await each.counted(view.db, family_id, item_id))
    return await view.page(
        "inventory/delete.html",
        status,
        item=item,
        tags=left["tags"],
        entries=left["entries"],
        wishes=left["wishes"],
        meanwhile=status == 409,
    )
