"""The barcodes in a picture that the camera of a page has taken."""

from typing import Annotated

from fastapi import Query, Response

from homeshelf.access.view import PersonView
from homeshelf.scanning.limits import ScanLimits
from homeshelf.scanning.reader import MAX_PIXELS, MAX_SIDE, GreyPicture, read_barcodes
from homeshelf.web.body_limits import BodyLimits, body_limits
from homeshelf.web.json import Json
from homeshelf.web.pages import page_router

PATH = "/barcodes"

router = page_router(PATH)

Side = Annotated[int, Query(ge=1, le=MAX_SIDE)]


@router.post("")
@body_limits(BodyLimits(somebody=MAX_PIXELS, counted=False))
async def read_picture(view: PersonView, width: Side, height: Side) -> Response:
    """Read the barcodes in a picture, without storing or logging it."""
    picture = GreyPicture(await view.request.body(), width, height)
    limits = view.services.limits.of(ScanLimits)
    return Json({"codes": await read_barcodes(limits, view.who.member_id, picture)})
