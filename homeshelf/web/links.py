"""The address that links carry."""

from typing import Annotated

from fastapi import Depends, Request

from homeshelf.web.services import Services


def base_url(request: Request) -> str:
    """The house's public address, or else the one that the request came by."""
    services: Services = request.app.state.services
    return services.settings.public_url or f"{request.url.scheme}://{request.url.netloc}"


async def _base_url(request: Request) -> str:
    return base_url(request)


BaseUrl = Annotated[str, Depends(_base_url)]
