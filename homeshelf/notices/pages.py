"""What ran low, newest first: what is so now, and what there is enough of again."""

from typing import Annotated

from fastapi import Query, Request, Response

from homeshelf.access import Admin, Member
from homeshelf.access.shell import shell_of
from homeshelf.errors import AlreadyReviewed
from homeshelf.notices import store
from homeshelf.web.ids import NotificationId
from homeshelf.web.pages import page, see_other
from homeshelf.web.requests import page_router
from homeshelf.web.services import TheServices

router = page_router("/notices")

SHOWN = 50
SAID = {
    "seen": "Noted. It stays here until there is enough again.",
    "enough": "There is enough of it again.",
}


@router.get("")
async def notices_page(
    request: Request,
    member: Member,
    services: TheServices,
    before: Annotated[str, Query(max_length=80)] = "",
    said: Annotated[str, Query(max_length=10)] = "",
) -> Response:
    """`before` is when the last one that was seen was made, and its id."""
    at, _, last = before.partition(" ")
    mark = (at, last) if last else None
    found, after = await store.newest(services.db, member.family_id, store.STATUSES, SHOWN, mark)
    open_ = dict.fromkeys(each.item_id for each in found if each.is_open)
    items = [
        item
        for each in services.slices
        if each.items
        for item in await each.items(services.db, member.family_id, open_)
    ]
    return page(
        request,
        "notices/notices.html",
        shell=await shell_of(services, member),
        member=member,
        notices=found,
        items={item.item_id: item for item in items},
        older=" ".join(after) if after else None,
        said=SAID.get(said, ""),
    )


@router.post("/{notificationId}/seen")
async def seen(admin: Admin, notification_id: NotificationId, services: TheServices) -> Response:
    try:
        await store.acknowledge(services.db, admin.family_id, notification_id)
    except AlreadyReviewed:
        return see_other("/notices?said=enough")
    return see_other("/notices?said=seen")
