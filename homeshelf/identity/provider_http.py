"""Send HTTP requests to the provider: short timeouts, no redirects, small responses."""

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

TIMEOUT_SECONDS = 5.0
PAUSE_SECONDS = 30
"""The pause after a request without a response."""
MAX_BYTES = 500_000
RETRY_SECONDS = 5

UNAVAILABLE = _("We can’t reach the sign-in provider right now. Try again in a moment.")

log = structlog.get_logger()


class ProviderUnavailable(Exception):
    """The provider cannot be reached; the text is for the operator."""

    def __init__(self, text: str, retry_after: int = 0) -> None:
        super().__init__(text)
        self.retry_after = max(retry_after, RETRY_SECONDS)


@contextmanager
def provider_errors_as_503() -> Iterator[None]:
    try:
        yield
    except ProviderUnavailable as unavailable:
        log.warning("provider_away", why=str(unavailable))
        raise Unavailable(unavailable.retry_after, UNAVAILABLE) from None


class ProviderClient:
    def __init__(self) -> None:
        self._last_failure_at: int | None = None

    def require_responsive(self) -> None:
        passed = clock.seconds() - (self._last_failure_at or 0)
        if 0 <= passed < PAUSE_SECONDS:
            raise ProviderUnavailable("it gave no answer a moment ago", PAUSE_SECONDS - passed)

    @asynccontextmanager
    async def time_limit(self) -> AsyncIterator[None]:
        began = clock.seconds()
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                yield
        except TimeoutError:
            self._last_failure_at = began
            raise ProviderUnavailable("it takes too long to answer") from None

    async def get_json(self, url: str, bearer: str | None = None) -> Mapping[str, Any]:
        headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
        status, found = await self._send("GET", url, headers=headers)
        if status != 200:
            raise ProviderUnavailable(f"{url} answers {status}")
        return found

    async def post_form(
        self, url: str, form: Mapping[str, str], user: tuple[str, str] | None = None
    ) -> tuple[int, Mapping[str, Any]]:
        headers = {}
        if user:  # OAuth quotes both first
            pair = ":".join(map(quote_plus, user))
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        return await self._send("POST", url, headers=headers, data=form)

    async def _send(self, method: str, url: str, **options: Any) -> tuple[int, Mapping[str, Any]]:
        import aiohttp  # noqa: PLC0415  # most households ask no provider, and save its weight

        began, content = clock.seconds(), b""
        try:
            async with (
                aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(TIMEOUT_SECONDS)) as session,
                session.request(method, url, allow_redirects=False, **options) as answer,
            ):
                async for chunk in answer.content.iter_any():
                    content += chunk
                    if len(content) > MAX_BYTES:
                        raise ProviderUnavailable(
                            f"{url} answers with more than anybody wants to read"
                        )
        except (aiohttp.ClientConnectionError, OSError) as error:  # a timeout is one of these
            self._last_failure_at = began
            raise ProviderUnavailable(f"{url}: {type(error).__name__} {error}") from None
        except (aiohttp.ClientError, ValueError) as error:
            raise ProviderUnavailable(f"{url}: {type(error).__name__} {error}") from None
        found = _parse_object(url, content)
        self._last_failure_at = None
        return answer.status, found


def _parse_object(url: str, content: bytes) -> Mapping[str, Any]:
    try:
        return msgspec.json.decode(content, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise ProviderUnavailable(f"{url} answers with something that is no JSON object") from None
