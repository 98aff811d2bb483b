from typing import Any, Literal

from fastapi import Response

from homeshelf.access import Admin, Member
from homeshelf.notices import store
from homeshelf.notices.model import Notification
from homeshelf.web.body import Empty
from homeshelf.web.ids import NotificationId
from homeshelf.web.json import Json, shown
from homeshelf.web.openapi import answers, page_of
from homeshelf.web.paging import PageAsked
from homeshelf.web.requests import api_router
from homeshelf.web.services import Db

router = api_router()


@router.get("/notifications")
@answers(page_of(Notification))
async def notifications(
    member: Member,
    asked: PageAsked,
    db: Db,
    status: Literal["active", "acknowledged", "resolved"] | None = None,
) -> Response:
    mark: Any = asked.start(member.caller)
    found, after = await store.newest(
        db,
        member.family_id,
        (status,) if status else store.STATUSES,
        asked.limit,
        tuple(mark) if mark else None,
    )
    return Json(asked.envelope(member.caller, [shown(each) for each in found], after))


@router.post("/notifications/{notificationId}/acknowledge")
@answers(Notification)
async def acknowledge(
    admin: Admin, notification_id: NotificationId, db: Db, _nothing: Empty = None
) -> Response:
    unit = admin.once.unit(db, shown)
    return Json(shown(await store.acknowledge(unit, admin.family_id, notification_id)))
