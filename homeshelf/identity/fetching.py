"""Asking the provider: with a short patience, no redirects, and no more than a little to read."""

import base64
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote_plus

import msgspec
import structlog

from homeshelf.errors import Unavailable

PATIENCE_SECONDS = 5.0
MOST_BYTES = 500_000
RETRY_SECONDS = 5


AWAY = "The identity provider is out of reach just now. Try again in a moment."

log = structlog.get_logger()


class ProviderAway(Exception):
    """The provider cannot be asked; the text is for whoever runs the house."""


@contextmanager
def in_reach() -> Iterator[None]:
    """For what cannot go on without the provider: whoever waits is told to come again."""
    try:
        yield
    except ProviderAway as away:
        log.warning("provider_away", why=str(away))
        raise Unavailable(RETRY_SECONDS, AWAY) from None


async def get_json(url: str, bearer: str | None = None) -> Mapping[str, Any]:
    headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
    status, found = await _ask("GET", url, headers=headers)
    if status != 200:
        raise ProviderAway(f"{url} answers {status}")
    return found


async def post_form(
    url: str, form: Mapping[str, str], user: tuple[str, str] | None = None
) -> tuple[int, Mapping[str, Any]]:
    """The status and what came with it: a refusal has its reasons, too."""
    headers = {"Authorization": _basic(*user)} if user else {}
    return await _ask("POST", url, headers=headers, data=form)


async def _ask(method: str, url: str, **options: Any) -> tuple[int, Mapping[str, Any]]:
    import aiohttp  # noqa: PLC0415  # most households ask no provider, and save its weight

    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(PATIENCE_SECONDS)) as session,
            session.request(method, url, allow_redirects=False, **options) as answer,
        ):
            content = b""
            async for chunk in answer.content.iter_any():
                content += chunk
                if len(content) > MOST_BYTES:
                    raise ProviderAway(f"{url} answers with more than anybody wants to read")
            return answer.status, _object(url, content)
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise ProviderAway(f"{url}: {type(error).__name__} {error}") from None


def _basic(name: str, password: str) -> str:
    """Both are quoted first, as OAuth has it."""
    pair = f"{quote_plus(name)}:{quote_plus(password)}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


def _object(url: str, content: bytes) -> Mapping[str, Any]:
    try:
        found = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        found = None
    if not isinstance(found, dict):
        raise ProviderAway(f"{url} answers with something that is no JSON object")
    return found
