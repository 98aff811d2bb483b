"""People who come with a token of the issuer, or from its page with a browser."""

from typing import Any
from urllib.parse import urlsplit

import httpx

from tests.house import OpenHouse, Visitor
from tests.identity.issuer import Issuer

HTML = {"accept": "text/html"}


def comes(house: OpenHouse, issuer: Issuer, **claims: Any) -> Visitor:
    visitor = house.visitor()
    visitor.bear(issuer.token(**claims))
    return visitor


async def signs_in(
    house: OpenHouse, issuer: Issuer, changed: str = "", visitor: Visitor | None = None
) -> httpx.Response:
    """There and back again; the answer is what the browser finds when it is back."""
    visitor = visitor or house.visitor()
    sent = await visitor.client.get("/sign-in", headers=HTML)
    back = urlsplit(issuer.consent(sent.headers["location"]) + changed)
    return await visitor.client.get(f"{back.path}?{back.query}", headers=HTML)
