"""Handing a list on: its id, its link, its code, and on paper."""

from typing import Annotated

import segno
from fastapi import Query, Request, Response
from markupsafe import Markup

from homeshelf.shares import store
from homeshelf.shares.list_route import list_router, path_of, shell_around
from homeshelf.shares.opening import Seen
from homeshelf.web.links import BaseUrl
from homeshelf.web.pages import page
from homeshelf.web.services import TheServices

router = list_router()


@router.get("/{shortId}/share")
async def share_page(
    request: Request,
    at: Seen,
    services: TheServices,
    base: BaseUrl,
    said: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    link = f"{base}{path_of(at.shared)}"
    return page(
        request,
        "shares/share.html",
        shell=await shell_around(request, services),
        shared=at.shared,
        link=link,
        qr=_qr(link),
        is_new=said == "new",
    )


@router.get("/{shortId}/print")
async def print_page(request: Request, at: Seen, services: TheServices, base: BaseUrl) -> Response:
    link = f"{base}{path_of(at.shared)}"
    return page(
        request,
        "shares/print.html",
        shell=await shell_around(request, services),
        shared=at.shared,
        items=(await store.opened(services.db, at.shared)).items,
        link=link,
        qr=_qr(link),
    )


def _qr(link: str) -> Markup:
    picture = segno.make(link, error="m", micro=False)
    drawn = picture.svg_inline(border=2, omitsize=True, svgclass="qr", lineclass=None)
    return Markup(drawn)  # noqa: S704  # drawn by the library
