"""uvicorn's HTTP protocol for one request, with stricter parsing and fair turns between addresses.

llhttp refuses the usual ways to smuggle one request inside another. This module refuses ambiguous
requests that llhttp and uvicorn still accept.
"""

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING, cast

import structlog
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from homeshelf.serving.limits import Phase
from homeshelf.web.spooling import PUT_AWAY

if TYPE_CHECKING:
    from homeshelf.serving.guard import ConnectionGuard

CLOSING_HEADERS = b"connection: close\r\ncontent-length: 0\r\n\r\n"
MAX_HEAD_BYTES = 64 * 1024
MAX_HEADERS = 100
CHUNK_OVERHEAD = 8
"""The allowed bytes of framing for each byte of a chunked body."""
HANDLER_BYTES = 32_000
"""The memory of a handler that waits for the rest of a body."""
STARTS_AT_ONCE = 2
"""The number of requests of one address that start in one round of the event loop."""

log = structlog.get_logger()


class HttpProtocol(HttpToolsProtocol):
    def __init__(self, guard: "ConnectionGuard") -> None:
        super().__init__(guard.server.config, guard.server.state, {}, guard.server.loop)
        self.guard = guard
        self.phase: Phase | None = None
        """The event that the request waits for; None before its first byte."""
        self.body_bytes = self._body_left = 0
        self._stored_sizes: list[int] = []
        """The sizes of the parts of the body that the application has written to disk."""
        self._framing_left = MAX_HEAD_BYTES
        """The number of bytes of heads and chunk framing that may still arrive."""
        self._keeps_alive = True
        self._last_bytes = b""
        """The last three parsed bytes, because a blank line may arrive in pieces."""
        self._queued: asyncio.Task[None] | None = None
        """The task of the handler while it waits for its turn."""
        self.app = self._run_app
        self.connection_made(guard)
        self.client = guard.client

    @property
    def is_receiving(self) -> bool:
        return self.phase in (Phase.HEAD, Phase.BODY)

    @property
    def may_parse(self) -> bool:
        """Return whether no handler or complete request is ahead of the next bytes."""
        return self.phase is not Phase.ANSWER and not self.flow.read_paused

    @property
    def held_bytes(self) -> int:
        if self.phase is Phase.HEAD:
            return MAX_HEAD_BYTES - self._framing_left
        if self.phase is Phase.BODY:
            return HANDLER_BYTES + self.body_bytes - sum(self._stored_sizes)
        return 0

    # Called by the guard

    def parse(self, data: bytes) -> bytes:
        """Parse at most to the end of the current request, and return the rest."""
        end = self._body_left
        if end <= 0:
            blank = (self._last_bytes + data).find(b"\r\n\r\n")
            end = blank + 4 - len(self._last_bytes) if blank >= 0 else len(data)
        part = data[:end]
        self._last_bytes = (self._last_bytes + part)[-3:]
        self._framing_left -= len(part)
        self.data_received(part)
        if self.is_receiving and self._is_too_long():
            self.refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        return data[end:]

    def refuse(self, status: HTTPStatus) -> None:
        """Refuse a request that cannot be parsed to its end."""
        if self.phase is Phase.BODY and self.cycle.response_started:
            self.guard.abort()
        else:
            headers = [b"%b: %b\r\n" % header for header in self.server_state.default_headers]
            self.guard.write(b"".join((STATUS_LINE[status], *headers, CLOSING_HEADERS)))
            self.guard.close()

    def end(self) -> None:
        """Break reference cycles, and tell a handler that still responds to stop."""
        self.connection_lost(ConnectionAbortedError())  # without an error, it would close as well
        self.app = self.config.loaded_app
        if self._queued is not None:
            self._queued.cancel()
        if self.cycle is not None:
            self.cycle.body = bytearray()  # errors keep frames, and those the cycle

    # Called by llhttp

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.phase = Phase.HEAD

    def on_headers_complete(self) -> None:
        if refusal := self._find_refusal():
            self.refuse(refusal)
            raise ValueError(refusal)
        super().on_headers_complete()
        self.phase = Phase.BODY
        extensions = {PUT_AWAY: self._stored_sizes.append}
        self.scope["extensions"] = cast("dict[str, dict[object, object]]", extensions)
        self.headers = []  # for trailers, which uvicorn would add to the headers of the request
        if self._body_left > HIGH_WATER_LIMIT:
            self.flow.pause_reading()  # until the application asks for it
        # A response that does not wait for the body of its request closes the connection.
        self._keeps_alive = self.cycle.keep_alive and not self.parser.should_upgrade()
        self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        self._body_left -= len(body)
        self.body_bytes += len(body)
        self._framing_left += (1 + CHUNK_OVERHEAD) * len(body)

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self.phase = Phase.ANSWER
        if not (self.cycle.response_started or self.guard.server.is_stopping):
            self.cycle.keep_alive = self._keeps_alive

    # Called by uvicorn

    def on_response_complete(self) -> None:
        """Go on to the next request; uvicorn would set a timer, but the guard has a deadline."""
        self.guard.drop_http()
        self.guard.parse()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  # it quotes the parser
        self.refuse(HTTPStatus.BAD_REQUEST)

    async def _run_app(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the application once a small body is complete and it is the address's turn."""
        cycle = self.cycle
        try:
            while (  # a small body that never ends must cost only its bytes
                cycle.more_body
                and not cycle.disconnected
                and not cycle.waiting_for_100_continue
                and len(cycle.body) + max(0, self._body_left) <= HIGH_WATER_LIMIT
            ):
                await cycle.message_event.wait()
                cycle.message_event.clear()
            cycle.message_event.set()  # for the handler, which waits for it as well
            if cycle.disconnected:
                return
            turns = self.guard.server.turns.setdefault(
                self.guard.address, asyncio.Semaphore(STARTS_AT_ONCE)
            )
            self._queued = asyncio.current_task()
            await turns.acquire()
            self._queued = None
            self.loop.call_soon(turns.release)
            await self.config.loaded_app(scope, receive, send)
        except Exception:
            log.exception("request_broken_off")
            raise

    def _find_refusal(self) -> HTTPStatus | None:
        """Require one host, one length of the body and a path."""
        version, hosts, is_clear = self.parser.get_http_version(), 0, self.url[:1] == b"/"
        for name, value in self.headers:
            if name == b"host":
                hosts += 1
            elif name == b"content-length":
                self._body_left = int(value)
            elif name == b"transfer-encoding":
                is_chunked = value.strip(b" \t").lower() == b"chunked"
                is_clear = is_clear and is_chunked and version == "1.1"
        if self._is_too_long():
            return HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
        if version not in ("1.0", "1.1"):
            return HTTPStatus.HTTP_VERSION_NOT_SUPPORTED
        if not is_clear or hosts > 1 or (hosts == 0 and version == "1.1") or b"#" in self.url:
            return HTTPStatus.BAD_REQUEST
        return None

    def _is_too_long(self) -> bool:
        return self._framing_left < 0 or len(self.headers) > MAX_HEADERS
