"""uvicorn's protocol, which parses requests and sends responses, with one clear reading of each.

llhttp refuses a body with two lengths, lines that end in LF alone and malformed chunks, which are
the ways to smuggle one request inside another. What it and uvicorn accept beyond that is refused
here.
"""

from http import HTTPStatus
from typing import TYPE_CHECKING, NoReturn, cast

from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from homeshelf.web.spooling import PUT_AWAY

if TYPE_CHECKING:
    from homeshelf.serving.guard import ConnectionGuard

REQUEST = "homeshelf.request"
"""The ASGI extension that is the protocol and uvicorn's state of the request."""
MAX_HEAD_BYTES = 64 * 1024
MAX_HEADERS = 100
CHUNK_OVERHEAD = 8
"""How many bytes of framing each byte of a chunked body may come with."""
REQUEST_BYTES = 4000
"""The memory of a request that waits for an earlier response."""
HANDLER_BYTES = 32_000
"""The memory of a handler that waits for the rest of a body."""


class HttpProtocol(HttpToolsProtocol):
    def __init__(self, guard: "ConnectionGuard") -> None:
        super().__init__(guard.server.config, guard.server.state, {}, guard.server.loop)
        self.guard = guard
        self.unanswered: list[RequestResponseCycle] = []
        self.is_receiving = self.is_in_head = False
        self.body_bytes = self._stored_bytes = 0
        self._body_left = 0
        self._framing_left = MAX_HEAD_BYTES
        """How many bytes may still come that are not part of a body."""
        self._keeps_alive = True
        self.connection_made(guard)
        self.client = guard.client

    @property
    def held_bytes(self) -> int:
        held = REQUEST_BYTES * max(0, len(self.unanswered) - 1)
        if self.is_in_head:
            held += MAX_HEAD_BYTES - self._framing_left
        elif self.is_receiving:
            held += HANDLER_BYTES + self.body_bytes - self._stored_bytes
        return held

    def waits_for_body(self, cycle: RequestResponseCycle) -> bool:
        """Whether the rest of a small body must come first, so that it costs only its bytes."""
        return (
            cycle.more_body
            and not cycle.disconnected
            and not cycle.waiting_for_100_continue
            and len(cycle.body) + max(0, self._body_left) <= HIGH_WATER_LIMIT
        )

    # Called by the guard

    def parse(self, data: bytes) -> bytes:
        """Parse no further than to the end of a request; return the rest."""
        end = self._body_left
        if end <= 0:
            blank = data.find(b"\r\n\r\n", len(b"GET / HTTP/1.0"))
            end = blank + 4 if blank >= 0 else len(data)
        part = data[:end]
        self._framing_left -= len(part)
        self.data_received(part)
        if self.is_receiving and self._is_too_long():
            self.refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        return data[end:]

    def refuse(self, status: HTTPStatus) -> None:
        """Refuse a request that cannot be read, or close after the responses to those before it."""
        self.guard.ignores_rest = True
        first = self.unanswered[0] if self.unanswered else None
        if first is not None and not first.more_body:
            self.shutdown()
        elif first is not None and first.response_started:
            self.guard.abort()
        else:
            text = status.phrase.encode()
            lines = [b"%b: %b\r\n" % header for header in self.server_state.default_headers]
            head = b"HTTP/1.1 %d %b\r\n%b" % (status, text, b"".join(lines))
            head += b"content-type: text/plain\r\ncontent-length: %d\r\n" % len(text)
            self.guard.write(head + b"connection: close\r\n\r\n" + text)
            self.guard.close()

    def end(self) -> None:
        """Tell uvicorn and the handlers that the client has left."""
        self.connection_lost(ConnectionAbortedError())  # without an error, it would close as well
        if self.timeout_keep_alive_task is not None:
            self.timeout_keep_alive_task.cancel()
        for cycle in self.unanswered:  # uvicorn tells only the last one
            cycle.disconnected = True
            cycle.message_event.set()
            cycle.body = bytearray()  # errors keep frames, and those the cycle

    # Called by llhttp

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.is_receiving = self.is_in_head = True
        self._body_left = self.body_bytes = self._stored_bytes = 0

    def on_headers_complete(self) -> None:
        self._check_head()
        super().on_headers_complete()
        self.unanswered.append(self.cycle)
        extensions = {REQUEST: (self, self.cycle), PUT_AWAY: self._add_stored}
        self.scope["extensions"] = cast("dict[str, dict[object, object]]", extensions)
        self.headers = []  # for trailers, which uvicorn would add to the headers of the request
        self.is_in_head = False
        if self._body_left > HIGH_WATER_LIMIT:
            self.flow.pause_reading()  # until the application asks for it
        if self.guard.server.is_stopping or self.parser.should_upgrade():
            self.shutdown()  # after this response
        # A response that does not wait for the body of its request closes the connection.
        self._keeps_alive, self.cycle.keep_alive = self.cycle.keep_alive, False

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        self._body_left -= len(body)
        self.body_bytes += len(body)
        self._framing_left += (1 + CHUNK_OVERHEAD) * len(body)

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self.is_receiving = False
        self._body_left = 0
        self._framing_left = MAX_HEAD_BYTES
        if not (self.cycle.response_started or self.guard.server.is_stopping):
            self.cycle.keep_alive = self._keeps_alive
        if not self.cycle.keep_alive:
            self.guard.ignores_rest = True

    # Called by uvicorn

    def on_response_complete(self) -> None:
        del self.unanswered[0]
        super().on_response_complete()
        self.guard.has_answered = True
        self.guard.update()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  # it quotes the parser
        self.refuse(HTTPStatus.BAD_REQUEST)

    def _add_stored(self, size: int) -> None:
        """Count bytes of the body that the application has written to disk."""
        self._stored_bytes += size

    def _check_head(self) -> None:
        """Require one host, one length of the body and a path."""
        if self._is_too_long():
            self._fail(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        hosts, is_chunked = 0, False
        for name, value in self.headers:
            if name == b"host":
                hosts += 1
            elif name == b"content-length":
                self._body_left = int(value)
            elif name == b"transfer-encoding":
                is_chunked = True
                if value.strip(b" \t").lower() != b"chunked":
                    self._fail()
        match self.parser.get_http_version():
            case "1.1":
                is_clear = hosts == 1
            case "1.0":
                is_clear = hosts <= 1 and not is_chunked
            case _:
                self._fail(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED)
        if not is_clear or self.url[:1] != b"/" or b"#" in self.url:
            self._fail()

    def _is_too_long(self) -> bool:
        return self._framing_left < 0 or len(self.headers) > MAX_HEADERS

    def _fail(self, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> NoReturn:
        self.refuse(status)
        raise ValueError(status)
