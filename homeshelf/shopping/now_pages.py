"""The list for the script of its page, which keeps it on the phone."""

from fastapi import Response

from homeshelf.access.view import MemberView
from homeshelf.shopping.now import kept, list_now
from homeshelf.web.json import Json
from homeshelf.web.pages import page_router

router = page_router("/list")


@router.get("/now")
async def the_list_now(view: MemberView) -> Response:
    found = kept(view.who, await list_now(view.db, view.who.family_id))
    return Json(found, headers={"Cache-Control": "no-store"})
