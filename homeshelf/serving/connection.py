"""One connection: what is read from it and when, what is written, and how long each may take.

It is read only as fast as the application takes it. Whatever we wait for has a deadline, which
the server looks at every second.
"""

import asyncio
import math
import ssl
from collections import deque
from http import HTTPStatus
from typing import TYPE_CHECKING, cast

from homeshelf import ip
from homeshelf.serving.admission import BODY_BYTES_A_SECOND, Phase
from homeshelf.serving.answer import refusal
from homeshelf.serving.exchange import MOST_UNREAD, Exchange
from homeshelf.serving.parser import BadRequest, Head, RequestParser
from homeshelf.serving.tls import Tls

if TYPE_CHECKING:
    from homeshelf.serving.server import Server

MOST_DISCARDED = 4_000_000
HANDLER_BYTES = 32_000
"""What it takes that somebody in the application waits for the rest of a body."""
AHEAD_BYTES = 512
"""Of requests that are sent ahead, how much is read at once: the shortest has 30 bytes, and takes
a thousand once it is read."""


class Connection(asyncio.BufferedProtocol):
    def __init__(self, server: "Server") -> None:
        self._server = server
        self._admission = server.admission
        self._transport: asyncio.Transport
        self._tls: Tls | None = None
        self._parser: RequestParser | None = None
        self._incoming: Exchange | None = None
        """The one whose request is coming in, or came in last."""
        self._current: Exchange | None = None
        """The one that the application works on."""
        self._later: deque[Exchange] = deque()
        self._unparsed = b""
        """What came after those."""
        self._untaken = 0
        self._received = 0
        self._put_away = 0
        """Of what was received, how much the application keeps elsewhere than in memory."""
        self._phase_began = 0.0
        self._drained: asyncio.Future[None] | None = None
        self._has_answered = False
        self._is_stalled = False
        self._is_paused = False
        self._is_deaf = False
        self._is_closing = False
        self.phase = Phase.HEAD
        self.deadline = math.inf
        self.held = 0
        """Bytes that wait in memory for this client, either way."""
        self.client = ("", 0)
        self.household: str | None = None
        """Set once it is in; none where it is exempt."""
        self.server = server.address
        self.scheme = "https" if server.tls else "http"

    # What the transport tells

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        peer = transport.get_extra_info("peername") or ("", 0)
        self.client = (ip.plain(peer[0]), peer[1])
        self.deadline = self._server.now() + Phase.HEAD.seconds
        self._server.opened(self)

    def get_buffer(self, _sizehint: int) -> memoryview:
        return self._server.buffer

    def buffer_updated(self, nbytes: int) -> None:
        data = self._server.buffer[:nbytes]
        if self._is_closing:
            self._received += nbytes
            if self._received > MOST_DISCARDED:
                self.abort()
        elif self._server.tls is None:
            self._feed(data)
        else:
            self._decrypt(data, self._server.tls)

    def pause_writing(self) -> None:
        self._is_stalled = True
        self._update()

    def resume_writing(self) -> None:
        self._is_stalled = False
        self._wake()
        self._go_on()

    def connection_lost(self, _error: Exception | None) -> None:
        for exchange in (self._current, self._incoming):
            if exchange is not None:
                exchange.end()
        self._current = None
        self._forget()
        self._wake()
        self._server.closed(self)

    # What the parser tells

    def head_came(self, head: Head) -> None:
        self._incoming = Exchange(self, head)
        self._received = self._put_away = 0
        if self._is_free:
            self._start_incoming()
        else:
            self._later.append(self._incoming)

    def body_came(self, chunk: bytes) -> None:
        if self._incoming is not None:
            self._received += len(chunk)
            self._incoming.feed(chunk)
            self._start_incoming()

    def request_came(self) -> None:
        if self._incoming is not None:
            self._incoming.finish()
            self._start_incoming()

    # What an exchange tells

    @property
    def is_ending(self) -> bool:
        """Whether no other request is wanted after this one."""
        return (self._server.is_stopping or self._is_deaf) and not self._later

    def write(self, data: bytes) -> None:
        self._transport.write(data if self._tls is None else self._tls.encrypted(data))

    async def drained(self) -> None:
        while self._is_stalled:
            if self._drained is None:
                self._drained = self._server.loop.create_future()
            await asyncio.shield(self._drained)

    def regulate(self) -> None:
        """Read on, or wait until the application has taken what is there."""
        incoming = self._incoming
        is_full = not self._is_closing and (
            bool(self._later)
            or self._is_deaf
            or (incoming is not None and incoming.unread > MOST_UNREAD)
        )
        if is_full != self._is_paused:
            self._is_paused = is_full
            if is_full:
                self._transport.pause_reading()
            else:
                self._transport.resume_reading()

    def was_put_away(self, number: int) -> None:
        """So many bytes of the body are in memory no more."""
        self._put_away += number

    def was_answered(self, exchange: Exchange) -> None:
        self._current = None
        self._has_answered = True
        if exchange is self._incoming:
            self._incoming = None
        if exchange.keeps_alive:
            self._go_on()
        else:
            self._close(discards=not exchange.is_received)

    # What the server tells

    def expire(self) -> None:
        match self.phase:
            case Phase.HEAD | Phase.BODY if self._is_receiving:
                self._refuse(HTTPStatus.REQUEST_TIMEOUT)
            case Phase.HEAD | Phase.IDLE:
                self._close()
            case Phase.STALLED if self._transport.get_write_buffer_size() < self._untaken:
                self._untaken = self._transport.get_write_buffer_size()
                self.deadline = self._server.now() + Phase.STALLED.seconds
                self._update()
            case _:
                self.abort()

    def stop(self) -> None:
        """Close, unless something is under way, which is finished first."""
        if self._current is None and not self._is_receiving:
            self._close()

    def abort(self) -> None:
        self._transport.abort()

    # How they come together

    @property
    def _is_free(self) -> bool:
        """Whether the last request is answered, and the answer taken."""
        return self._current is None and not self._is_stalled

    @property
    def _is_receiving(self) -> bool:
        return self._parser is not None and self._parser.receiving

    def _decrypt(self, data: memoryview, context: ssl.SSLContext) -> None:
        if self._tls is None:
            self._tls = Tls(context)
        try:
            for chunk in self._tls.decrypted(data):
                self._feed(chunk)
        except ssl.SSLError:
            self._close()  # with the alert that says what is wrong
        else:
            if not self._is_closing:
                self._transport.write(self._tls.to_send())

    def _feed(self, data: bytes | memoryview) -> None:
        if self._is_deaf or self._is_closing:
            return
        if self._unparsed:
            self._unparsed += data
            return
        if self._parser is None:
            self._parser = RequestParser(self)
        try:
            while data and not self._later:
                end = AHEAD_BYTES + self._parser.body_left
                self._parser.feed(data[:end])
                data = data[end:]
        except BadRequest as bad:
            self._refuse(bad.status)
            return
        self._unparsed = bytes(data)
        self._update()

    def _start_incoming(self) -> None:
        """Where it is next, and enough of it is there."""
        exchange = self._incoming
        if exchange is not None and self._is_free and not self._later and exchange.is_startable:
            self._start(exchange)

    def _start(self, exchange: Exchange) -> None:
        self._current = exchange
        self._server.turns.take(self.household, exchange)

    def _go_on(self) -> None:
        if self._is_free and not self._is_closing:
            if self._later:
                exchange = self._later.popleft()
                if exchange.is_startable:
                    self._start(exchange)
                if self._unparsed and not self._later:
                    data, self._unparsed = self._unparsed, b""
                    self._feed(data)
            elif self._is_deaf or (self._server.is_stopping and not self._is_receiving):
                self._close(discards=self._is_deaf)
        self._update()

    def _refuse(self, status: HTTPStatus) -> None:
        """No more requests come from here; those that came whole are answered first."""
        self._is_deaf = True
        broken = self._incoming
        if broken is not None and not broken.is_received and broken in self._later:
            self._later.remove(broken)
        current = self._current
        if self._later or (current is not None and current.is_received):
            self._update()
            return
        if current is not None:
            current.end()
            if current.answer.is_begun:
                self.abort()
                return
        self.write(refusal(status))
        self._close(discards=True)

    def _close(self, *, discards: bool = False) -> None:
        """`discards` what is still coming: closing at once would take back what was written."""
        if self._is_closing:
            return
        self._is_closing = True
        self._forget()
        if self._tls is not None:
            self._transport.write(self._tls.closing())
        if discards:
            try:
                self._transport.write_eof()
            except OSError:
                self.abort()  # it is gone already
        else:
            self._transport.close()
        self._update()

    def _update(self) -> None:
        """Something has changed: what is read, what is waited for and what is held follow."""
        self.regulate()
        phase = self._found_phase()
        if phase is not self.phase:
            self._enter(phase)
        self._hold_in(phase)

    def _hold_in(self, phase: Phase) -> None:
        held = len(self._unparsed) + sum(each.head_bytes for each in self._later)
        if phase is Phase.HEAD and self._parser is not None:
            held += self._parser.head_bytes
        elif phase is Phase.STALLED:
            held += self._untaken
        elif phase is Phase.BODY:
            self.deadline = self._phase_began + phase.seconds + self._received / BODY_BYTES_A_SECOND
            held += self._received - self._put_away
            held += HANDLER_BYTES * (self._current is not None)
        if held != self.held:
            self._admission.hold(self, held)

    def _enter(self, phase: Phase) -> None:
        self.phase = phase
        self._phase_began = now = self._server.now()
        self.deadline = now + phase.seconds
        self._untaken = self._transport.get_write_buffer_size()
        self._admission.move(self)

    def _found_phase(self) -> Phase:
        if self._is_closing:
            return Phase.CLOSING
        if self._is_stalled:
            return Phase.STALLED
        if self._parser and self._parser.receiving and not self._later and not self._is_deaf:
            return Phase.HEAD if self._parser.in_head else Phase.BODY
        if self._current is not None:
            return Phase.ANSWER
        return Phase.IDLE if self._has_answered else Phase.HEAD

    def _forget(self) -> None:
        if self._parser is not None:
            self._parser.close()
        self._parser = self._incoming = None
        self._received = 0
        self._later.clear()
        self._unparsed = b""

    def _wake(self) -> None:
        if self._drained is not None:
            self._drained.set_result(None)
            self._drained = None
