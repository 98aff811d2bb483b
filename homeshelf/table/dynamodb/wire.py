"""The HTTP client for DynamoDB: signed JSON requests, retried where that is safe.

An attempt fails in three ways. The server refuses it (`RequestRefused`); it did nothing, because
it was not sent or was throttled; or its outcome is unknown, after a timeout, a dropped connection,
a damaged answer or a 5xx. A refusal is final, and the others are retried until the deadline or the
end of the budget. After an unknown outcome later answers are `doubtful`, as a condition may fail
because the first attempt succeeded.
"""

import asyncio
import hashlib
import hmac
from collections.abc import Mapping
from functools import lru_cache
from time import gmtime, monotonic, strftime
from typing import Any
from urllib.parse import urlsplit
from zlib import crc32

import aiohttp
import msgspec
from aiohttp.abc import AbstractStreamWriter
from aiohttp.payload import Payload
from yarl import URL

from homeshelf import clock
from homeshelf.table.deadlines import time_left
from homeshelf.table.dynamodb.credentials import Credentials, CredentialSource
from homeshelf.table.dynamodb.errors import BUSY, CONTESTED, OTHERS_FIRST, TOO_BUSY, RequestRefused
from homeshelf.table.dynamodb.retries import SHORTEST_ATTEMPT, Patience, RetryBudget
from homeshelf.table.engine import CannotOpen, Unavailable

CONNECTIONS = 100
CONNECT_SECONDS = 1.0
KEEP_ALIVE_SECONDS = 20.0
BYTES_AT_ONCE = 512 * 1024
READS = {"BatchGetItem", "DescribeTable", "GetItem", "Query", "Scan"}

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(dict[str, Any]).decode


class Wire:
    def __init__(
        self,
        region: str,
        endpoint: str | None,
        credentials: Credentials | None,
        *,
        timeout: float,
        deadline: float,
    ) -> None:
        self.endpoint = endpoint or endpoint_of(region)
        self.deadline = deadline
        self._url = URL(self.endpoint + "/")
        self._host = host_of(self.endpoint)
        self._region = region
        self._credentials = CredentialSource(credentials)
        self._timeout = aiohttp.ClientTimeout(timeout, sock_connect=CONNECT_SECONDS)
        self._seconds = timeout
        self._session: aiohttp.ClientSession | None = None
        self._connections = asyncio.Semaphore(CONNECTIONS)
        self._budget = RetryBudget()

    async def call(
        self,
        operation: str,
        body: Mapping[str, Any],
        *,
        repeatable: bool = True,
        patience: Patience | None = None,
    ) -> dict[str, Any]:
        """Return the answer; raise after an unknown outcome unless the call is `repeatable`."""
        payload = _encode(body)
        began, seconds = monotonic(), time_left(self.deadline)
        if seconds <= 0:
            raise self.unavailable("was not asked in time")
        doubtful = retried = False
        while True:
            try:
                left = patience.left if patience else seconds
                answer = await self._send(operation, payload, left)
            except RequestRefused as refused:
                refused.doubtful = doubtful
                if refused.code in BUSY:
                    trouble = TOO_BUSY
                elif refused.code in CONTESTED:
                    trouble = OTHERS_FIRST
                else:
                    raise
                cause: Exception = refused
            except _NotSent as unreached:
                trouble, cause = str(unreached), unreached
            except _UnknownOutcome as lost:
                doubtful, trouble, cause = True, str(lost), lost
            else:
                self._budget.earn(retried=retried)
                return answer
            patience = patience or Patience(seconds, self._budget, began)
            retried = trouble != OTHERS_FIRST
            if (doubtful and not repeatable) or not await patience.pause(free=not retried):
                doubtful = doubtful and operation not in READS
                raise self.unavailable(trouble, doubtful=doubtful) from cause

    def patience(self) -> Patience:
        return Patience(time_left(self.deadline), self._budget)

    def unavailable(self, trouble: str, *, doubtful: bool = False) -> Unavailable:
        unknown = ", and whether the last change was made is not known" if doubtful else ""
        return Unavailable(f"The database at {self.endpoint} {trouble}{unknown}; try again later.")

    async def close(self) -> None:
        if self._session:
            await self._session.close()

    async def _send(self, operation: str, payload: bytes, left: float) -> dict[str, Any]:
        """Send once. It waits for a connection first, so that a timeout there has sent nothing."""
        began = monotonic()
        try:
            async with asyncio.timeout(left if self._connections.locked() else None):
                await self._connections.acquire()
        except TimeoutError:
            raise _NotSent("is asked for more than it answers") from None
        try:
            return await self._attempt(operation, payload, left - (monotonic() - began))
        finally:
            self._connections.release()

    async def _attempt(self, operation: str, payload: bytes, left: float) -> dict[str, Any]:
        session = self._session or self._open()
        credentials = self._credentials.lasting or await self._credentials.current(left)
        stamp = stamp_of(clock.seconds())
        headers = signed(credentials, self._region, self._host, operation, payload, stamp)
        timeout = self._timeout
        if left < self._seconds:
            timeout = aiohttp.ClientTimeout(max(left, SHORTEST_ATTEMPT))
        body = _Body(payload)
        try:
            async with session.post(
                self._url, data=body, headers=headers, timeout=timeout, allow_redirects=False
            ) as answer:
                content = await answer.read()
        except TimeoutError:
            if not body.has_left:
                raise _NotSent("cannot be reached in time") from None
            raise _UnknownOutcome("did not answer in time") from None
        except (aiohttp.ClientError, OSError) as error:
            if not body.has_left:
                raise _NotSent("cannot be reached") from error
            raise _UnknownOutcome("dropped the connection") from error
        return self._read(answer, content)

    def _read(self, answer: aiohttp.ClientResponse, content: bytes) -> dict[str, Any]:
        checksum = answer.headers.get("x-amz-crc32")
        if checksum is not None and checksum != str(crc32(content)):
            raise _UnknownOutcome("sent a damaged answer")
        if answer.status >= 500:
            raise _UnknownOutcome(f"failed with {answer.status}")
        if answer.status == 429:  # some proxies answer 429 instead of throttling
            raise RequestRefused("Throttling", "", {})
        try:
            decoded = _decode(content)
            if answer.status == 200:
                return decoded
            code = decoded["__type"].rpartition("#")[2]
        except (msgspec.DecodeError, KeyError):
            raise CannotOpen(f"The server at {self.endpoint} does not speak DynamoDB.") from None
        raise RequestRefused(code, decoded.get("message") or decoded.get("Message") or "", decoded)

    def _open(self) -> aiohttp.ClientSession:
        """Open the session on the first call, because it belongs to the running event loop."""
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEP_ALIVE_SECONDS),
            cookie_jar=aiohttp.DummyCookieJar(),
            # The checksum covers the bytes sent, so the answer must not be compressed.
            headers={"Accept-Encoding": "identity", "User-Agent": "homeshelf"},
        )
        return self._session


class _Body(Payload):
    """A request body that records whether any of it was sent."""

    _value: bytes
    _autoclose = True

    def __init__(self, value: bytes) -> None:
        super().__init__(value)
        self._size = len(value)
        self.has_left = False

    async def write(self, writer: AbstractStreamWriter) -> None:
        self.has_left = True
        for start in range(0, len(self._value), BYTES_AT_ONCE):
            await writer.write(self._value[start : start + BYTES_AT_ONCE])

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        return self._value.decode(encoding, errors)


class _NotSent(Exception):
    pass


class _UnknownOutcome(Exception): ...


def signed(
    credentials: Credentials, region: str, host: str, operation: str, payload: bytes, stamp: str
) -> dict[str, str]:
    target = f"DynamoDB_20120810.{operation}"
    token, token_line, token_name = credentials.token, "", ""
    if token:
        token_line, token_name = f"x-amz-security-token:{token}\n", "x-amz-security-token;"
    names = f"content-type;host;x-amz-date;{token_name}x-amz-target"
    canonical = (
        f"POST\n/\n\ncontent-type:application/x-amz-json-1.0\nhost:{host}\nx-amz-date:{stamp}\n"
        f"{token_line}x-amz-target:{target}\n\n{names}\n{hashlib.sha256(payload).hexdigest()}"
    )
    scope = f"{stamp[:8]}/{region}/dynamodb/aws4_request"
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    to_sign = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{digest}"
    key = _signing_key(credentials.secret_key, stamp[:8], region)
    signature = hmac.digest(key, to_sign.encode(), "sha256").hex()
    headers = {
        "Content-Type": "application/x-amz-json-1.0",
        "Host": host,
        "X-Amz-Date": stamp,
        "X-Amz-Target": target,
        "Authorization": f"AWS4-HMAC-SHA256 Credential={credentials.access_key}/{scope}, "
        f"SignedHeaders={names}, Signature={signature}",
    }
    if token:
        headers["X-Amz-Security-Token"] = token
    return headers


@lru_cache(8)
def stamp_of(second: int) -> str:
    return strftime("%Y%m%dT%H%M%SZ", gmtime(second))


@lru_cache(8)
def _signing_key(secret: str, day: str, region: str) -> bytes:
    key = f"AWS4{secret}".encode()
    for part in (day, region, "dynamodb", "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    return key


def endpoint_of(region: str) -> str:
    return f"https://dynamodb.{region}.amazonaws.com{'.cn' if region.startswith('cn-') else ''}"


def host_of(endpoint: str) -> str:
    """Return the host header, with the port unless it is the default."""
    url = urlsplit(endpoint.lower())
    return url.netloc.removesuffix(":443" if url.scheme == "https" else ":80")
