"""People who come with a token of the issuer, or from its page with a browser."""

from typing import Any
from urllib.parse import urlsplit

import httpx

from tests.identity.issuer import Issuer
from tests.running import RunningApp, Visitor

HTML = {"accept": "text/html"}


def comes(running: RunningApp, issuer: Issuer, **claims: Any) -> Visitor:
    visitor = running.visitor()
    visitor.bear(issuer.token(**claims))
    return visitor


async def signs_in(
    running: RunningApp, issuer: Issuer, changed: str = "", visitor: Visitor | None = None
) -> httpx.Response:
    """There and back again; the answer is what the browser finds when it is back."""
    visitor = visitor or running.visitor()
    sent = await visitor.client.get("/sign-in", headers=HTML)
    back = urlsplit(issuer.consent(sent.headers["location"]) + changed)
    return await visitor.client.get(f"{back.path}?{back.query}", headers=HTML)
