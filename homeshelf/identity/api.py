"""What there is no need for where an identity provider says who people are."""

from fastapi import Response

from homeshelf.errors import NotFound
from homeshelf.web.requests import api_router

router = api_router()

HIDDEN = (
    "/accounts",
    "/tokens",
    "/tokens/refresh",
    "/passwords/forgotten",
    "/passwords/reset",
)


async def nothing_here() -> Response:
    raise NotFound


for path in HIDDEN:
    router.add_api_route(path, nothing_here, methods=["POST"], include_in_schema=False)
