"""The page of a family's notices, newest first."""

from typing import Annotated

from fastapi import Query, Response

from homeshelf.access.view import AdminView, MemberView
from homeshelf.errors import AlreadyReviewed
from homeshelf.notices import store
from homeshelf.notices.api import NotificationId
from homeshelf.notices.model import NoticeRow, NoticeRows
from homeshelf.sentences import _
from homeshelf.web.pages import OutcomeKey, page_router, redirect_after

router = page_router("/notices")

PAGE_SIZE = 50
MESSAGES = {
    "seen": _("Dismissed. The alert stays here until you’ve restocked."),
    "enough": _("You’ve already restocked this."),
}


@router.get("")
async def notices_page(
    view: MemberView, before: Annotated[str, Query(max_length=80)] = "", said: OutcomeKey = ""
) -> Response:
    """List notices; `before` is the creation time and id of the last one on the previous page."""
    at, _, last = before.partition(" ")
    found, after = await store.newest_notices(
        view.db, view.who.family_id, store.STATUSES, PAGE_SIZE, (at, last) if last else None
    )
    rows: dict[str, NoticeRow] = {}
    for each in view.services.all(NoticeRows):
        rows |= await each.read(view.db, found)
    return await view.page(
        "notices/notices.html",
        member=view.who,
        notices=found,
        rows=rows,
        older=" ".join(after) if after else None,
        said=MESSAGES.get(said, ""),
    )


@router.post("/{notificationId}/seen")
async def mark_seen(view: AdminView, notification_id: NotificationId) -> Response:
    return await redirect_after(
        store.acknowledge(view.db, store.key_of(view.who.family_id, notification_id)),
        "/notices?said=seen",
        {AlreadyReviewed: "/notices?said=enough"},
    )
