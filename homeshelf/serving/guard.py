"""The guard of one connection, between the real transport and uvicorn's protocol.

It parses requests one at a time, no faster than the application reads them. Each phase of the
connection has a deadline, which the server checks every second.
"""

import asyncio
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

from homeshelf.serving.limits import Phase
from homeshelf.serving.protocol import HttpProtocol

if TYPE_CHECKING:
    from homeshelf.serving.server import Server

MAX_DISCARDED_BYTES = 4_000_000
BODY_BYTES_PER_SECOND = 50_000
"""The slowest rate at which a body may arrive after its deadline of 30 seconds."""


class ConnectionGuard(asyncio.BufferedProtocol, asyncio.Transport):
    def __init__(self, server: "Server", client: tuple[str, int]) -> None:
        self.server = server
        self.client = client
        self.address: str | None = None
        """The client's key in limits and turns; None for a proxy."""
        self.connecting: asyncio.Task[None] | None = None
        """The task of the TLS handshake; there is no transport before its end."""
        self._transport: asyncio.Transport
        self._http: HttpProtocol | None = None
        """uvicorn's protocol of one request; an idle connection has none, which saves memory."""
        self._unparsed = b""
        self._is_closing = False
        self._discarded_bytes = 0
        self._unsent_bytes = 0
        """The bytes that a slow client had not read at the last check."""
        self.phase = Phase.HEAD
        self._phase_began = server.now()
        self.held_bytes = 0

    # Called by the real transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport, self.connecting = cast("asyncio.Transport", transport), None
        if self._is_closing:
            transport.close()

    def get_buffer(self, _sizehint: int) -> memoryview:
        return self.server.buffer

    def buffer_updated(self, nbytes: int) -> None:
        if not self._is_closing:
            self._unparsed += self.server.buffer[:nbytes]
            self.parse()
            return
        self._discarded_bytes += nbytes
        if self._discarded_bytes > MAX_DISCARDED_BYTES:
            self.abort()

    def pause_writing(self) -> None:
        if self._http is not None:
            self._http.pause_writing()
        self._unsent_bytes = self._transport.get_write_buffer_size()
        self.update()

    def resume_writing(self) -> None:
        if self._http is not None:
            self._http.resume_writing()
        self._unsent_bytes = 0
        self.update()

    def connection_lost(self, _error: Exception | None) -> None:
        self._is_closing = True
        self.drop_http()
        self.server.limits.remove(self)

    # Called by uvicorn's protocol, as its transport

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        is_costly = name == "socket"  # uvloop would make one and keep it
        return default if is_costly else self._transport.get_extra_info(name, default)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if not self._is_closing:
            self._transport.write(data)

    def pause_reading(self) -> None:
        """Do nothing, because `update` follows the parsing that calls this."""

    def resume_reading(self) -> None:
        self.server.loop.call_soon(self.parse)  # uvicorn is still changing its state

    def is_closing(self) -> bool:
        return self._is_closing

    def close(self) -> None:
        """Close once everything is sent, and give a client that is still sending time to read."""
        if self.connecting is not None:
            self.abort()
        elif not self._is_closing:
            self._is_closing = True
            is_sending = self._unparsed or (self._http is not None and self._http.is_receiving)
            self._unparsed = b""
            self.drop_http()
            if is_sending and self._transport.can_write_eof():
                with suppress(OSError):  # the client is gone already
                    self._transport.write_eof()
            else:
                self._transport.close()
            self.update()

    def abort(self) -> None:
        """Close at once, and stop counting the connection."""
        if self.connecting is not None:
            self.server.loop.call_soon(self.connecting.cancel)  # the task may not have started
        else:
            self._transport.abort()
        self.connection_lost(None)

    # Called by our protocol and the server

    @property
    def deadline(self) -> float:
        seconds = self.phase.seconds
        if self.phase is Phase.BODY and self._http is not None:
            seconds += self._http.body_bytes / BODY_BYTES_PER_SECOND
        return self._phase_began + seconds

    def drop_http(self) -> None:
        """Drop uvicorn's protocol, whose reference back would keep both in memory."""
        http, self._http = self._http, None
        if http is not None:
            http.end()

    def parse(self) -> None:
        """Parse the received bytes up to the end of a request, or until the application lags."""
        if self._unparsed and self._http is None and not self._is_closing:
            self._http = HttpProtocol(self)
            if self._unsent_bytes:
                self._http.pause_writing()
        while self._unparsed and self._http is not None and self._http.may_parse:
            rest = self._http.parse(self._unparsed)
            self._unparsed = b"" if self._is_closing else rest
        self.update()

    def update(self) -> None:
        """Update the phase, the counted memory and whether the transport reads."""
        if self not in self.server.limits.connections:
            return
        is_paused = bool(self._unparsed)
        held_bytes = len(self._unparsed) + self._unsent_bytes
        if self._http is not None:
            is_paused = is_paused or self._http.flow.read_paused
            held_bytes += self._http.held_bytes
        if self.connecting is None and not self._transport.is_closing():
            if is_paused:
                self._transport.pause_reading()
            else:
                self._transport.resume_reading()
        if (phase := self._find_phase()) is not self.phase:
            self.phase, self._phase_began = phase, self.server.now()
        self.server.limits.update(self, held_bytes)

    def expire(self) -> None:
        """End a connection past its deadline, unless its client read part of the response."""
        if self.phase in (Phase.STALLED, Phase.CLOSING):
            before, self._unsent_bytes = self._unsent_bytes, self._transport.get_write_buffer_size()
            self._phase_began = self.server.now()
            if self._unsent_bytes < before:
                self.update()
            else:
                self.abort()
        elif self._http is not None and self._http.is_receiving:
            self._http.refuse(HTTPStatus.REQUEST_TIMEOUT)
        else:
            self.close()

    def stop(self) -> None:
        """Close once the current request is complete."""
        if self._http is None:
            self.close()
        elif self._http.phase is not Phase.HEAD:
            self._http.shutdown()

    def _find_phase(self) -> Phase:
        if self._unsent_bytes:
            return Phase.STALLED
        if self._is_closing:
            return Phase.CLOSING
        if self._http is not None and (phase := self._http.phase):
            return phase
        return Phase.HEAD if self.phase is Phase.HEAD else Phase.IDLE
