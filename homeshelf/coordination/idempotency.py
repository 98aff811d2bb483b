"""Doing a thing once: the answer to a request is kept in the transaction that carried it out.

A second request with the same key finds its transaction cancelled by the answer that is there, and
is answered from it. So neither two at once nor a crash does anything twice.
"""

import hashlib

from homeshelf import clock
from homeshelf.table import HELPER, Item, Keys, Put, Record, Sparse, absent

KEPT_SECONDS = 24 * 3600
MOST_BYTES = 100_000


class ReplayedResponse(Exception):
    """The request was carried out before: nothing was written, and this is its response."""

    def __init__(self, stored: "Answer") -> None:
        super().__init__("this request was answered before")
        self.stored = stored


class FirstAnswer(Put):
    """The write that keeps an answer; it refuses where there is one."""

    __slots__ = ()

    async def refused(self, found: Item | None) -> None:
        if found is not None:
            raise ReplayedResponse(Answer.load(found)) from None


class Answer(Record):
    table = HELPER
    keys = Keys(PK="ANSWERS#{caller}", SK="ANSWER#{request}")

    caller: str
    request: str
    """A digest of the method, the path and the caller's key."""
    content: str
    """A digest of what was sent, to tell a repetition from another request."""
    status: int
    body: str
    language: Sparse[str] = None
    """That the answer is in; None for one that was kept before answers said so."""
    ttl: int

    def first(self) -> FirstAnswer:
        return FirstAnswer(self.table, self.item(), absent)


def answer(
    caller: str,
    method: str,
    path: str,
    key: str,
    content: bytes,
    status: int,
    body: str,
    language: str | None = None,
) -> Answer:
    if len(body.encode()) > MOST_BYTES:
        raise ValueError(f"an answer of more than {MOST_BYTES} bytes is not kept")
    return Answer(
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
