"""Handing a list on: its id, its link, its code, and on paper."""

from fastapi import Response

from homeshelf.access.view import Visit
from homeshelf.shares import store
from homeshelf.shares.list_route import list_router, path_of
from homeshelf.shares.opening import Seen
from homeshelf.web.drawings import qr_code
from homeshelf.web.links import BaseUrl
from homeshelf.web.pages import Said

router = list_router()


@router.get("/{shortId}/share")
async def share_page(view: Visit, at: Seen, base: BaseUrl, said: Said = "") -> Response:
    link = f"{base}{path_of(at.shared)}"
    return await view.page(
        "shares/share.html",
        shared=at.shared,
        link=link,
        qr=qr_code(link, border=2),
        is_new=said == "new",
    )


@router.get("/{shortId}/print")
async def print_page(view: Visit, at: Seen, base: BaseUrl) -> Response:
    link = f"{base}{path_of(at.shared)}"
    return await view.page(
        "shares/print.html",
        shared=at.shared,
        items=(await store.opened(view.db, at.shared)).items,
        link=link,
        qr=qr_code(link, border=2),
    )
