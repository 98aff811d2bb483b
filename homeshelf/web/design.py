"""Every part in every state, for those who build pages: where `HOMESHELF_DESIGN` is on."""

from fastapi import APIRouter, Request, Response

from homeshelf.web.pages import page

router = APIRouter(include_in_schema=False)


@router.get("/design")
async def design(request: Request) -> Response:
    return page(request, "web/design.html")
