"""The guard of one connection, between its transport and uvicorn's protocol.

It is the protocol of the real transport, and the transport of uvicorn's protocol. It hands on
bytes only as fast as the application takes them, and knows what the connection waits for and until
when; the server looks at the deadlines every second.
"""

import asyncio
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

from homeshelf.serving.limits import BODY_BYTES_A_SECOND, CONNECTION_BYTES, Phase
from homeshelf.serving.protocol import HttpProtocol

if TYPE_CHECKING:
    from homeshelf.serving.server import Server

MAX_DISCARDED_BYTES = 4_000_000
REQUEST_BYTES = 4000
"""The memory of a request that waits for an earlier response."""
HANDLER_BYTES = 32_000
"""The memory of a handler that waits for the rest of a body."""


class ConnectionGuard(asyncio.BufferedProtocol, asyncio.Transport):
    def __init__(self, server: "Server", client: tuple[str, int]) -> None:
        self.server = server
        self.client = client
        self.address: str | None = None
        """What limits and turns are counted by; none for a proxy."""
        self._transport: asyncio.Transport | None = None
        """None until the TLS handshake is complete."""
        self._http: HttpProtocol | None = None
        """From the first bytes until the connection closes."""
        self._unparsed = b""
        self.has_answered = False
        self.ignores_rest = False
        self._discarded_bytes = 0
        self._is_stalled = False
        self._is_closing = False
        self._unsent_bytes = 0
        """What the client had not read when this was last looked at."""
        self.phase = Phase.HEAD
        self._phase_began = server.now()
        self.deadline = self._phase_began + Phase.HEAD.seconds
        self.held_bytes = 0

    # Called by the real transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        if self.server.is_stopping:
            self.close()

    def get_buffer(self, _sizehint: int) -> memoryview:
        return self.server.buffer

    def buffer_updated(self, nbytes: int) -> None:
        if self._is_closing or self.ignores_rest:
            self._discarded_bytes += nbytes
            if self._discarded_bytes > MAX_DISCARDED_BYTES:
                self.abort()
        else:
            self._unparsed += self.server.buffer[:nbytes]
            self._parse()

    def pause_writing(self) -> None:
        if self._http is not None:
            self._http.pause_writing()
        self._is_stalled = True
        self.update()

    def resume_writing(self) -> None:
        if self._http is not None:
            self._http.resume_writing()
        self._is_stalled = False
        self.update()

    def connection_lost(self, _error: Exception | None) -> None:
        self._is_closing = True
        self._drop_http()
        self.server.closed(self)

    # Called by uvicorn's protocol, as its transport

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        if self._transport is None or name == "socket":  # uvloop would make one and keep it
            return default
        return self._transport.get_extra_info(name, default)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if self._transport is not None and not self._is_closing:
            self._transport.write(data)

    def pause_reading(self) -> None:
        self._regulate()

    def resume_reading(self) -> None:
        if self._unparsed:
            self.server.loop.call_soon(self._parse)  # uvicorn is in the midst of something
        self._regulate()

    def is_closing(self) -> bool:
        return self._is_closing

    def close(self) -> None:
        """Close once everything is sent; a client that is still sending gets time to read that."""
        if self._is_closing:
            return
        self._is_closing = True
        is_sending = bool(self._discarded_bytes or self._unparsed)
        is_sending = is_sending or (self._http is not None and self._http.is_receiving)
        self._drop_http()
        if self._transport is None:
            self.abort()
        elif is_sending and self._transport.can_write_eof():
            with suppress(OSError):  # the client is gone already
                self._transport.write_eof()
        else:
            self._transport.close()
        self.update()

    def abort(self) -> None:
        if self._transport is None:
            self.server.cancel_handshake(self)
        else:
            self._transport.abort()

    # Called by our protocol

    def refuse(self, status: HTTPStatus) -> None:
        """Refuse a request that cannot be read, or close after the responses to those before it."""
        http = self._http
        self.ignores_rest = True
        if http is None:
            return
        first = http.unanswered[0] if http.unanswered else None
        if first is not None and not first.more_body:
            http.shutdown()
        elif first is not None and first.response_started:
            self.abort()
        else:
            self.write(_refusal(status, http.server_state.default_headers))
            self.close()

    def update(self) -> None:
        """Follow a change: what is read, what is waited for, and what is held in memory."""
        self._regulate()
        phase = self._find_phase()
        if phase is not self.phase:
            self._enter(phase)
        if phase is Phase.IDLE and not self._unparsed and self.server.limits.is_crowded():
            self._drop_http()  # until the next request
            self.server.limits.freed_bytes += CONNECTION_BYTES
        held = len(self._unparsed) + (self._unsent_bytes if phase is Phase.STALLED else 0)
        if self._http is not None:
            held += self._http.head_bytes
            held += REQUEST_BYTES * max(0, len(self._http.unanswered) - 1)
            if phase is Phase.BODY:
                held += HANDLER_BYTES + self._http.body_bytes - self._http.stored_bytes
                seconds = phase.seconds + self._http.body_bytes / BODY_BYTES_A_SECOND
                self.deadline = self._phase_began + seconds
        if held != self.held_bytes:
            self.server.limits.hold(self, held)

    # Called by the server

    @property
    def is_connected(self) -> bool:
        return self._transport is not None

    def expire(self) -> None:
        """End a connection whose deadline has passed, unless its client has read something."""
        is_receiving = self._http is not None and self._http.is_receiving
        if self.phase is Phase.STALLED and self._measure_unsent() < self._unsent_bytes:
            self._enter(Phase.STALLED)
            self.update()
        elif self.phase in (Phase.HEAD, Phase.BODY) and is_receiving:
            self.refuse(HTTPStatus.REQUEST_TIMEOUT)
        elif self.phase in (Phase.HEAD, Phase.IDLE):
            self.close()
        else:
            self.abort()

    def stop(self) -> None:
        """Close after what has begun."""
        if self._http is not None and self._http.unanswered:
            self._http.shutdown()
        elif self._http is None or not self._http.is_receiving:
            self.close()

    def _parse(self) -> None:
        if self._http is None and not self._is_closing:
            self._http = HttpProtocol(self)
        while self._unparsed and self._http is not None and not self._http.flow.read_paused:
            if self.ignores_rest:
                self._discarded_bytes += len(self._unparsed)
                self._unparsed = b""
            else:
                self._unparsed = self._http.parse(self._unparsed)
        self.update()

    def _drop_http(self) -> None:
        """End uvicorn's protocol; it and this refer to each other, and would become garbage."""
        http, self._http, self._unparsed = self._http, None, b""
        if http is not None:
            http.end()

    def _regulate(self) -> None:
        is_paused = self._http is not None and self._http.flow.read_paused
        wants_more = self._is_closing or not (is_paused or self._unparsed)
        if self._transport is None or self._transport.is_closing():
            return
        if wants_more is not self._transport.is_reading():
            if wants_more:
                self._transport.resume_reading()
            else:
                self._transport.pause_reading()

    def _find_phase(self) -> Phase:
        if self._is_stalled:
            return Phase.STALLED
        if self._is_closing:
            return Phase.CLOSING
        if self._http is not None and self._http.unanswered:
            return Phase.BODY if self._http.unanswered[0].more_body else Phase.ANSWER
        is_in_head = self._http is not None and self._http.is_in_head
        return Phase.IDLE if self.has_answered and not is_in_head else Phase.HEAD

    def _enter(self, phase: Phase) -> None:
        self.phase = phase
        self._phase_began = self.server.now()
        self.deadline = self._phase_began + phase.seconds
        self._unsent_bytes = self._measure_unsent()
        self.server.limits.move(self)

    def _measure_unsent(self) -> int:
        return self._transport.get_write_buffer_size() if self._transport is not None else 0


def _refusal(status: HTTPStatus, headers: list[tuple[bytes, bytes]]) -> bytes:
    text = status.phrase.encode()
    lines = [b"%b: %b" % header for header in headers]
    lines += [b"content-type: text/plain", b"content-length: %d" % len(text), b"connection: close"]
    return b"HTTP/1.1 %d %b\r\n%b\r\n\r\n%b" % (status, text, b"\r\n".join(lines), text)
