"""DynamoDB's wire: signed JSON over HTTP, sent again while that is safe.

An attempt may fail in three ways: the server refuses it (`Refused`), it certainly did nothing (no
connection, throttled), or nobody knows (dropped, timed out, damaged, a 5xx). The first is final,
the others are tried again until the deadline. After the third the answer of a later attempt is
`doubtful`: a condition may fail because the first attempt succeeded.
"""

import asyncio
import hashlib
import hmac
import random
from collections.abc import Mapping
from functools import lru_cache
from io import BytesIO
from time import gmtime, monotonic, strftime
from typing import Any
from urllib.parse import urlsplit
from zlib import crc32

import aiohttp
import msgspec
from yarl import URL

from homeshelf import clock
from homeshelf.table.dynamodb_credentials import Credentials, CredentialSource
from homeshelf.table.dynamodb_errors import BUSY, CONTESTED, Refused
from homeshelf.table.engine import CannotOpen, Unavailable

CONNECTIONS = 100
CONNECT_SECONDS = 1.0
KEEP_ALIVE_SECONDS = 20.0
BYTES_AT_ONCE = 512 * 1024
FIRST_PAUSE, LONGEST_PAUSE = 0.025, 1.0
SHORTEST_ATTEMPT = 0.1
READS = {"BatchGetItem", "DescribeTable", "GetItem", "Query", "Scan"}

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(dict[str, Any]).decode


class Patience:
    """How long to go on trying, with pauses that grow and that no two callers share."""

    def __init__(self, seconds: float, since: float | None = None) -> None:
        self._ends = (monotonic() if since is None else since) + seconds
        self._longest = FIRST_PAUSE

    @property
    def left(self) -> float:
        return self._ends - monotonic()

    async def pause(self) -> bool:
        """Wait a little; False when that would leave too little time for an answer."""
        wait = random.random() * self._longest  # noqa: S311  # spreads callers, keeps no secret
        self._longest = min(2 * self._longest, LONGEST_PAUSE)
        if self.left < wait + SHORTEST_ATTEMPT:
            return False
        await asyncio.sleep(wait)
        return True


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

    async def call(
        self,
        operation: str,
        body: Mapping[str, Any],
        *,
        repeatable: bool = True,
        patience: Patience | None = None,
    ) -> dict[str, Any]:
        """The server's answer. What is not `repeatable` is given up where nobody knows."""
        payload = _encode(body)
        began = monotonic()
        doubtful = False
        while True:
            try:
                left = patience.left if patience else self.deadline
                return await self._send(operation, payload, left)
            except Refused as refused:
                refused.doubtful = doubtful
                if refused.code in BUSY:
                    trouble = "is too busy"
                elif refused.code in CONTESTED:
                    trouble = "is changing the same records for others"
                else:
                    raise
                cause: Exception = refused
            except _Unreached as unreached:
                trouble, cause = "cannot be reached", unreached
            except _Lost as lost:
                doubtful, trouble, cause = True, str(lost), lost
            patience = patience or Patience(self.deadline, began)
            if (doubtful and not repeatable) or not await patience.pause():
                doubtful = doubtful and operation not in READS
                raise self.unavailable(trouble, doubtful=doubtful) from cause

    def unavailable(self, trouble: str, *, doubtful: bool = False) -> Unavailable:
        unknown = ", and whether the last change was made is not known" if doubtful else ""
        return Unavailable(f"The database at {self.endpoint} {trouble}{unknown}; try again later.")

    async def close(self) -> None:
        if self._session:
            await self._session.close()

    async def _send(self, operation: str, payload: bytes, left: float) -> dict[str, Any]:
        session = self._session or self._open()
        credentials = self._credentials.lasting or await self._credentials.current(left)
        stamp = stamp_of(clock.seconds())
        headers = signed(credentials, self._region, self._host, operation, payload, stamp)
        timeout = self._timeout
        if left < self._seconds:
            timeout = aiohttp.ClientTimeout(max(left, SHORTEST_ATTEMPT))
        data = payload if len(payload) <= BYTES_AT_ONCE else BytesIO(payload)
        try:
            async with session.post(
                self._url,
                data=data,
                headers=headers,
                timeout=timeout,
                allow_redirects=False,
            ) as answer:
                content = await answer.read()
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise _Unreached(str(error)) from None
        except TimeoutError:
            raise _Lost("did not answer in time") from None
        except (aiohttp.ClientError, OSError) as error:
            raise _Lost("dropped the connection") from error
        return self._read(answer, content)

    def _read(self, answer: aiohttp.ClientResponse, content: bytes) -> dict[str, Any]:
        checksum = answer.headers.get("x-amz-crc32")
        if checksum is not None and checksum != str(crc32(content)):
            raise _Lost("sent a damaged answer")
        if answer.status >= 500:
            raise _Lost(f"failed with {answer.status}")
        if answer.status == 429:  # a proxy's word for busy
            raise Refused("Throttling", "", {})
        try:
            decoded = _decode(content)
            if answer.status == 200:
                return decoded
            code = decoded["__type"].rpartition("#")[2]
        except (msgspec.DecodeError, KeyError):
            raise CannotOpen(f"What answers at {self.endpoint} is no DynamoDB.") from None
        message = decoded.get("message") or decoded.get("Message") or ""
        raise Refused(code, message, decoded)

    def _open(self) -> aiohttp.ClientSession:
        """A session belongs to the loop that it is opened in, so the first call opens it."""
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=CONNECTIONS, keepalive_timeout=KEEP_ALIVE_SECONDS),
            cookie_jar=aiohttp.DummyCookieJar(),
            # The checksum is of the bytes sent, which are the answer's own only uncompressed.
            headers={"Accept-Encoding": "identity", "User-Agent": "homeshelf"},
        )
        return self._session


class _Unreached(Exception):
    """The request never left."""


class _Lost(Exception):
    """The request left, and nobody knows what became of it."""


def signed(
    credentials: Credentials, region: str, host: str, operation: str, payload: bytes, stamp: str
) -> dict[str, str]:
    """The headers of a request, with its signature (version 4)."""
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
    """The time as a signature says it: `20250115T100000Z`."""
    return strftime("%Y%m%dT%H%M%SZ", gmtime(second))


@lru_cache(8)
def _signing_key(secret: str, day: str, region: str) -> bytes:
    key = f"AWS4{secret}".encode()
    for part in (day, region, "dynamodb", "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    return key


def endpoint_of(region: str) -> str:
    """Where AWS answers for this region."""
    return f"https://dynamodb.{region}.amazonaws.com{'.cn' if region.startswith('cn-') else ''}"


def host_of(endpoint: str) -> str:
    """As HTTP sends and the signature covers it: with the port unless it is the scheme's own."""
    url = urlsplit(endpoint.lower())
    return url.netloc.removesuffix(":443" if url.scheme == "https" else ":80")
