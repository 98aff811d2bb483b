"""The bytes of an answer, from what the application says in ASGI's messages."""

from email.utils import formatdate
from functools import cache, lru_cache
from http import HTTPStatus

from homeshelf import clock
from homeshelf.serving.parser import Head, Headers

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_BODILESS = {204, 304}


class Answer:
    """Raises ValueError for what would not be the one answer that it says it is."""

    def __init__(self, head: Head) -> None:
        self._is_old = head.http_version == "1.0"
        self._has_body = head.method != "HEAD"
        self._status = 500
        self._headers: Headers = []
        self._is_chunked = False
        self._left: int | None = None
        self.is_begun = False
        self.is_complete = False
        self.keeps_alive = head.keeps_alive
        """Whether another request may follow on the connection."""

    def start(self, status: int, headers: Headers) -> None:
        self._status, self._headers = status, headers

    def add(self, body: bytes, more: bool) -> bytes:
        """The bytes for the next part of the body, with the head before the first."""
        head = b"" if self.is_begun else self._begin(None if more else len(body))
        self.is_complete = not more
        if not self._has_body:
            return head
        if self._is_chunked:
            return head + _chunk(body, more)
        if self._left is not None:
            self._left -= len(body)
            if self._left < 0 or (self._left and not more):
                raise ValueError("the body is not as long as the answer says")
        return head + body if head else body

    def _begin(self, length: int | None) -> bytes:
        self.is_begun = True
        headers: Headers = []
        lines, declared = header_lines(self._headers)
        if self._status in _BODILESS:
            self._has_body = False
        elif declared is not None:
            self._left = int(declared)
        elif length is not None and (length or self._has_body):
            self._left = length
            headers.append((b"content-length", b"%d" % length))
        elif self._is_old:
            self.keeps_alive = False
        else:
            self._is_chunked = True
            headers.append((b"transfer-encoding", b"chunked"))
        if not self.keeps_alive or self._is_old:
            headers.append((b"connection", b"keep-alive" if self.keeps_alive else b"close"))
        more, _ = header_lines(headers)
        return b"".join(
            (_status_line(self._status), _date_line(clock.seconds()), lines, more, b"\r\n")
        )


def header_lines(headers: Headers) -> tuple[bytes, bytes | None]:
    """Return the headers as they are sent, and the Content-Length they declare."""
    lines = b"".join([name + b": " + value + b"\r\n" for name, value in headers])
    if lines.count(b"\n") != len(headers) or lines.count(b"\r") != len(headers):
        raise ValueError("a header has more than one line")
    return lines, next((value for name, value in headers if name == b"content-length"), None)


def refusal(status: HTTPStatus) -> bytes:
    """For what never gets to the application; the connection ends after it."""
    text = status.phrase.encode()
    lines = (
        _date_line(clock.seconds()).rstrip(),
        b"content-type: text/plain",
        b"content-length: %d" % len(text),
        b"connection: close",
        b"",
        text,
    )
    return _status_line(status) + b"\r\n".join(lines)


def _chunk(body: bytes, more: bool) -> bytes:
    chunk = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
    return chunk if more else chunk + b"0\r\n\r\n"


@cache
def _status_line(status: int) -> bytes:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = ""
    return f"HTTP/1.1 {status} {phrase}\r\n".encode()


@lru_cache(1)
def _date_line(seconds: int) -> bytes:
    return b"date: " + formatdate(seconds, usegmt=True).encode() + b"\r\n"
