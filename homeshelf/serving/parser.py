"""Requests out of the bytes of a connection: llhttp reads them, with limits of ours around it.

llhttp is strict: it refuses a body with two lengths, lines that end in LF alone and chunks that
are not what they say, which are the ways to smuggle one request inside of another.
"""

from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import httptools

if TYPE_CHECKING:
    from homeshelf.serving.connection import Connection

MOST_HEAD_BYTES = 64 * 1024
MOST_HEADERS = 100
CHUNK_OVERHEAD = 8
"""How many bytes may come for each one of a body that is sent in chunks."""

Headers = list[tuple[bytes, bytes]]


class Head(NamedTuple):
    method: str
    target: bytes
    http_version: str
    headers: Headers
    keeps_alive: bool
    expects_continue: bool
    body_bytes: int
    """The declared Content-Length, or 0."""


class BadRequest(Exception):
    def __init__(self, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> None:
        super().__init__(status.phrase)
        self.status = status


class RequestParser:
    def __init__(self, reader: "Connection") -> None:
        self._reader = reader
        self._llhttp = httptools.HttpRequestParser(self)
        self._target = b""
        self._headers: Headers = []
        self._head_bytes = 0
        self._unaccounted = 0
        """Of what was fed since the first bytes of a head, without those."""
        self._fed = self._first = 0
        self._hosts = self._body_bytes = self._body_came = 0
        self._is_coded = self._expects_continue = False
        self._refused: BadRequest | None = None
        self.receiving = False
        """Whether a request has begun and is not complete."""
        self.in_head = False

    @property
    def head_bytes(self) -> int:
        """How much of a head that is not complete may lie in memory."""
        return self._first + self._unaccounted

    @property
    def body_left(self) -> int:
        """How much of a body is still to come, where its length was said."""
        return max(self._body_bytes - self._body_came, 0) if self.receiving else 0

    def close(self) -> None:
        """Let go of what came: llhttp and this refer to each other, and would wait for the
        garbage collector with it."""
        self._headers = []
        del self._llhttp

    def feed(self, data: bytes | memoryview) -> None:
        """Raises BadRequest, after which nothing more may be fed."""
        self._unaccounted += len(data)
        self._fed = len(data)
        try:
            self._llhttp.feed_data(data)
        except httptools.HttpParserUpgrade:
            raise BadRequest from None  # what follows may be another protocol
        except httptools.HttpParserError:
            raise self._refused or BadRequest() from None
        if self.receiving and self._unaccounted > MOST_HEAD_BYTES:
            raise BadRequest(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def on_message_begin(self) -> None:
        self._target = b""
        self._headers = []
        self._head_bytes = self._unaccounted = self._hosts = 0
        self._body_bytes = self._body_came = 0
        self._first = self._fed
        self._is_coded = self._expects_continue = False
        self.receiving = self.in_head = True

    def on_url(self, target: bytes) -> None:
        self._target += target
        self._count(len(target))

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(len(name) + len(value))
        if not self.in_head:
            return  # a trailer, which nobody asked for
        name, value = name.lower(), value.rstrip(b" \t")
        if name == b"host":
            self._hosts += 1
        elif name == b"transfer-encoding":
            self._is_coded = True
            if value.lower() != b"chunked":
                self._refuse(HTTPStatus.BAD_REQUEST)
        elif name == b"content-length":
            self._body_bytes = int(value)
        elif name == b"expect":
            self._expects_continue = value.lower() == b"100-continue"
        self._headers.append((name, value))
        if len(self._headers) > MOST_HEADERS:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def on_headers_complete(self) -> None:
        self.in_head = False
        self._unaccounted = 0
        version = self._llhttp.get_http_version()
        self._check(version)
        self._reader.head_came(
            Head(
                self._llhttp.get_method().decode("ascii"),
                self._target,
                version,
                self._headers,
                self._llhttp.should_keep_alive() and not self._llhttp.should_upgrade(),
                self._expects_continue,
                self._body_bytes,
            )
        )

    def on_body(self, chunk: bytes) -> None:
        self._unaccounted -= CHUNK_OVERHEAD * len(chunk)
        self._body_came += len(chunk)
        self._reader.body_came(chunk)

    def on_message_complete(self) -> None:
        self.receiving = False
        self._reader.request_came()

    def _check(self, version: str) -> None:
        """One way to say whose request it is, how long it is and what it asks for."""
        match version:
            case "1.1":
                is_right = self._hosts == 1
            case "1.0":
                is_right = self._hosts <= 1 and not self._is_coded
            case _:
                self._refuse(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED)
        if not is_right or self._target[:1] != b"/":
            self._refuse(HTTPStatus.BAD_REQUEST)

    def _count(self, length: int) -> None:
        self._head_bytes += length + 4
        if self._head_bytes > MOST_HEAD_BYTES:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def _refuse(self, status: HTTPStatus) -> NoReturn:
        self._refused = BadRequest(status)
        raise self._refused
