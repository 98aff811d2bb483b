"""What the server and an endpoint agree on for the short way (see `serving/turns.py`)."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

Headers = list[tuple[bytes, bytes]]


class Head(NamedTuple):
    method: str
    target: bytes
    http_version: str
    headers: Headers
    keeps_alive: bool
    expects_continue: bool
    body_bytes: int
    """As it says; 0 where it has none, or does not say."""


class PlainRequest(NamedTuple):
    head: Head
    client: tuple[str, int]
    scheme: str


class Reply(NamedTuple):
    status: int
    lines: bytes
    """Its headers as `header_lines` makes them, without a length."""
    body: bytes


class ShortWay(Protocol):
    @property
    def start(self) -> bytes:
        """How the targets begin that may take it."""

    def replies(self, requests: Sequence[PlainRequest]) -> Sequence[Reply | None]:
        """One for each, without waiting; None means the long way. Raises nothing."""


def header_lines(headers: Sequence[tuple[bytes, bytes]]) -> tuple[bytes, bytes | None]:
    """The headers as they are sent, and the length that they declare."""
    lines = b"".join([name + b": " + value + b"\r\n" for name, value in headers])
    if lines.count(b"\n") != len(headers) or lines.count(b"\r") != len(headers):
        raise ValueError("a header has more than one line")
    return lines, next((value for name, value in headers if name == b"content-length"), None)
