"""HTTP requests to the provider: short timeouts, no redirects, small responses."""

import asyncio
import base64
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from urllib.parse import quote_plus

import msgspec
import structlog

from homeshelf import clock
from homeshelf.errors import Unavailable
from homeshelf.sentences import _

PATIENCE_SECONDS = 5.0
PAUSE_SECONDS = 30
"""The pause after a request that got no response."""
MOST_BYTES = 500_000
RETRY_SECONDS = 5

AWAY = _("The identity provider is out of reach just now. Try again in a moment.")

log = structlog.get_logger()


class ProviderAway(Exception):
    """The provider cannot be reached; the text is for the operator."""

    def __init__(self, text: str, retry_after: int = 0) -> None:
        super().__init__(text)
        self.retry_after = max(retry_after, RETRY_SECONDS)


@contextmanager
def in_reach() -> Iterator[None]:
    """Answer 503 where the provider cannot be reached."""
    try:
        yield
    except ProviderAway as away:
        log.warning("provider_away", why=str(away))
        raise Unavailable(away.retry_after, AWAY) from None


class Line:
    def __init__(self) -> None:
        self._silent_since: int | None = None

    def require_answering(self) -> None:
        passed = clock.seconds() - (self._silent_since or 0)
        if 0 <= passed < PAUSE_SECONDS:
            raise ProviderAway("it gave no answer a moment ago", PAUSE_SECONDS - passed)

    @asynccontextmanager
    async def patience(self) -> AsyncIterator[None]:
        """Bound the time of several requests together."""
        began = clock.seconds()
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                yield
        except TimeoutError:
            self._silent_since = began
            raise ProviderAway("it takes too long to answer") from None

    async def get_json(self, url: str, bearer: str | None = None) -> Mapping[str, Any]:
        headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
        status, found = await self._ask("GET", url, headers=headers)
        if status != 200:
            raise ProviderAway(f"{url} answers {status}")
        return found

    async def post_form(
        self, url: str, form: Mapping[str, str], user: tuple[str, str] | None = None
    ) -> tuple[int, Mapping[str, Any]]:
        headers = {}
        if user:  # both are quoted first, as OAuth has it
            pair = ":".join(map(quote_plus, user))
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        return await self._ask("POST", url, headers=headers, data=form)

    async def _ask(self, method: str, url: str, **options: Any) -> tuple[int, Mapping[str, Any]]:
        import aiohttp  # noqa: PLC0415  # most households ask no provider, and save its weight

        began, content = clock.seconds(), b""
        try:
            async with (
                aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(PATIENCE_SECONDS)) as session,
                session.request(method, url, allow_redirects=False, **options) as answer,
            ):
                async for chunk in answer.content.iter_any():
                    content += chunk
                    if len(content) > MOST_BYTES:
                        raise ProviderAway(f"{url} answers with more than anybody wants to read")
        except (aiohttp.ClientConnectionError, OSError) as error:  # a timeout is one of these
            self._silent_since = began
            raise ProviderAway(f"{url}: {type(error).__name__} {error}") from None
        except (aiohttp.ClientError, ValueError) as error:
            raise ProviderAway(f"{url}: {type(error).__name__} {error}") from None
        found = _object(url, content)
        self._silent_since = None
        return answer.status, found


def _object(url: str, content: bytes) -> Mapping[str, Any]:
    try:
        return msgspec.json.decode(content, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise ProviderAway(f"{url} answers with something that is no JSON object") from None
