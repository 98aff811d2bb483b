"""Deleting something for good: a question that names what goes with it, and the deed."""

from collections import Counter

from fastapi import Request, Response

from homeshelf.access import Admin, InFamily
from homeshelf.access.shell import shell_of
from homeshelf.errors import NotFound, VersionConflict
from homeshelf.inventory import store
from homeshelf.inventory.bodies import DeleteForm
from homeshelf.inventory.following import FollowingItems, following_of
from homeshelf.web.forms import sent_form
from homeshelf.web.ids import ItemId
from homeshelf.web.pages import page, see_other
from homeshelf.web.requests import page_router
from homeshelf.web.services import Services, TheServices

router = page_router("/stock")


@router.get("/{itemId}/delete")
async def delete_item_page(
    request: Request, admin: Admin, item_id: ItemId, services: TheServices
) -> Response:
    return await _question(request, services, admin, item_id)


@router.post("/{itemId}/delete")
async def delete_item(
    request: Request,
    admin: Admin,
    item_id: ItemId,
    services: TheServices,
    following: FollowingItems,
) -> Response:
    """As it was when the question was asked: what somebody changed since is asked about anew."""
    form = await sent_form(request, DeleteForm)
    if form.body is None:
        return await _question(request, services, admin, item_id)
    key = store.key_of(admin.family_id, item_id)
    try:
        await store.remove(services.db, key, following, admin.member_id, form.body.version)
    except VersionConflict:
        return await _question(request, services, admin, item_id, 409)
    return see_other("/stock")


async def _question(
    request: Request, services: Services, admin: InFamily, item_id: str, status: int = 200
) -> Response:
    family_id = admin.family_id
    item = await store.item(services.db, family_id, item_id)
    if item is None:
        raise NotFound("This is not in your stock any more.")
    left = Counter[str]()
    for each in following_of(services):
        left.update(await each.counted(services.db, family_id, item_id))
    return page(
        request,
        "inventory/delete.html",
        status,
        shell=await shell_of(services, admin),
        item=item,
        tags=left["tags"],
        entries=left["entries"],
        wishes=left["wishes"],
        meanwhile=status == 409,
    )
