"""Idempotent requests: a response is stored in the same transaction as the change.

A second request with the same key finds the stored response, which cancels its transaction. So
a concurrent repetition or a crash never makes the change twice.
"""

import hashlib

from homeshelf import clock
from homeshelf.table import HELPER, Item, Keys, Put, Record, Sparse, absent

KEPT_SECONDS = 24 * 3600
MOST_BYTES = 100_000


class ReplayedResponse(Exception):
    """The request was carried out before; nothing was written, and this is its stored response."""

    def __init__(self, stored: "StoredResponse") -> None:
        super().__init__("this request was answered before")
        self.stored = stored


class ResponseWrite(Put):
    __slots__ = ()

    async def refused(self, found: Item | None) -> None:
        if found is not None:
            raise ReplayedResponse(StoredResponse.load(found)) from None


class StoredResponse(Record):
    table = HELPER
    keys = Keys(PK="ANSWERS#{caller}", SK="ANSWER#{request}")

    caller: str
    request: str
    """A digest of the method, the path and the caller's key."""
    content: str
    """A digest of the body, which tells a repetition from another request."""
    status: int
    body: str
    language: Sparse[str] = None
    """The language of the response; None in responses of earlier versions."""
    ttl: int

    def put_once(self) -> ResponseWrite:
        return ResponseWrite(self.table, self.item(), absent)


def stored_response(
    caller: str,
    method: str,
    path: str,
    key: str,
    content: bytes,
    status: int,
    body: str,
    language: str | None = None,
) -> StoredResponse:
    if len(body.encode()) > MOST_BYTES:
        raise ValueError(f"a response of more than {MOST_BYTES} bytes is not stored")
    return StoredResponse(
        caller=caller,
        request=request_digest(method, path, key),
        content=content_digest(content),
        status=status,
        body=body,
        language=language,
        ttl=clock.seconds() + KEPT_SECONDS,
    )


def request_digest(method: str, path: str, key: str) -> str:
    return hashlib.sha256(f"{method} {path} {key}".encode()).hexdigest()


def content_digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
