from typing import Annotated, Literal

from fastapi import Path, Response

from homeshelf.access import Admin, Member
from homeshelf.notices import store
from homeshelf.notices.model import Notification
from homeshelf.table import as_shown
from homeshelf.web.body import Empty
from homeshelf.web.ids import WELL_FORMED
from homeshelf.web.json import Json
from homeshelf.web.openapi import operation_responses, page_of
from homeshelf.web.paging import PageAsked
from homeshelf.web.requests import api_router
from homeshelf.web.services import Db

router = api_router()

NotificationId = Annotated[str, Path(alias="notificationId"), WELL_FORMED]


@router.get("/notifications", responses=operation_responses(page_of(Notification)))
async def notifications(
    member: Member,
    asked: PageAsked,
    db: Db,
    status: Literal["active", "acknowledged", "resolved"] | None = None,
) -> Response:
    statuses, mark = (status,) if status else store.STATUSES, asked.start(member.caller)
    found, after = await store.newest_notices(
        db, member.family_id, statuses, asked.limit, mark, as_shown
    )
    return Json(asked.envelope(member.caller, found, after))


@router.post(
    "/notifications/{notificationId}/acknowledge", responses=operation_responses(Notification)
)
async def acknowledge(
    admin: Admin, notification_id: NotificationId, db: Db, _nothing: Empty = None
) -> Response:
    key = store.key_of(admin.family_id, notification_id)
    return await admin.request.respond(db, lambda unit: store.acknowledge(unit, key))
