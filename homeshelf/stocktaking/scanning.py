"""Finding a thing by its barcode."""

from fastapi import Response

from homeshelf.access.view import MemberView
from homeshelf.inventory.barcodes import is_right, item_with
from homeshelf.web.body import Search
from homeshelf.web.pages import page_router

router = page_router("/stock/scan")


@router.get("")
async def scan_page(view: MemberView, q: Search = "") -> Response:
    digits = "".join(q.split())
    return await view.page(
        "stocktaking/scan.html",
        member=view.who,
        code=digits,
        is_right=is_right(digits),
        item=await item_with(view.db, view.who.family_id, digits),
    )
