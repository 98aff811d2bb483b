"""A server of HTTP/1.1 for one ASGI application, inside of an event loop that is running."""

import asyncio
import socket
import ssl
import time
from collections.abc import Callable

import structlog
from starlette.types import ASGIApp

from homeshelf.serving import machine
from homeshelf.serving.admission import Admission
from homeshelf.serving.connection import Connection
from homeshelf.serving.exchange import Exchange
from homeshelf.serving.turns import Turns

WAITING_CONNECTIONS = 2048
"""That the system keeps until they are accepted."""
ACCEPTED_AT_ONCE = 32
NO_FILES_SECONDS = 0.5
SWEEP_SECONDS = 1.0
CANCELLED_SECONDS = 1.0
LOST_BYTES = 8_000_000
GIVE_BACK_SECONDS = 0.2
"""After so many bytes of requests that were cut off, and time for those to end."""
AFTERWARDS_SECONDS = 5.0
"""Once more when nobody is cut off any longer: what was in use the last time may be free by now."""
READ_BYTES = 16 * 1024

log = structlog.get_logger()


class Server:
    def __init__(
        self,
        app: ASGIApp,
        listener: socket.socket,
        admission: Admission,
        tls: ssl.SSLContext | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._listener = listener
        self.admission = admission
        self.tls = tls
        self.now = now
        self.loop = asyncio.get_running_loop()
        self.address: tuple[str, int] = listener.getsockname()[:2]
        self.buffer = memoryview(bytearray(READ_BYTES))
        """What is read lies here until it is handed on: one for all, because none waits with it."""
        self.is_stopping = False
        self._connecting: set[asyncio.Task[None]] = set()
        self._connections: set[Connection] = set()
        self.turns = Turns(self.loop, self._begin)
        self._running: dict[Exchange, asyncio.Task[None]] = {}
        self._sweeping: asyncio.TimerHandle | None = None
        self._giving_back: asyncio.TimerHandle | None = None
        self._giving_back_rest: asyncio.TimerHandle | None = None
        self._empty = asyncio.Event()

    def start(self) -> None:
        self._listener.setblocking(False)
        self._listener.listen(WAITING_CONNECTIONS)
        self._listen()

    async def stop(self, grace_seconds: float) -> bool:
        """Finish what has begun; returns whether all of it was, in that time."""
        self.is_stopping = True
        self.loop.remove_reader(self._listener)
        self._listener.close()
        for connection in [*self._connections]:
            connection.stop()
        try:
            async with asyncio.timeout(grace_seconds):
                while self._connections or self._running or self._connecting:
                    self._empty.clear()
                    await self._empty.wait()
        except TimeoutError:
            for connection in [*self._connections]:
                connection.abort()
            for task in self._running.values():
                task.cancel()
            if self._running:
                await asyncio.wait(self._running.values(), timeout=CANCELLED_SECONDS)
            return False
        return True

    # What connections tell

    def opened(self, connection: Connection) -> None:
        self._connections.add(connection)
        self.admission.enter(connection)
        if self._sweeping is None:
            self._sweeping = self.loop.call_later(SWEEP_SECONDS, self._sweep)
        if self.is_stopping:
            connection.stop()

    def closed(self, connection: Connection) -> None:
        self._connections.discard(connection)
        self.admission.leave(connection)
        self._empty.set()
        if self.admission.lost_bytes > LOST_BYTES and self._giving_back is None:
            self._giving_back = self.loop.call_later(GIVE_BACK_SECONDS, self._give_back)

    def _begin(self, exchange: Exchange) -> None:
        self._running[exchange] = self.loop.create_task(self._run(exchange))

    async def _run(self, exchange: Exchange) -> None:
        try:
            await exchange.run(self._app)
        finally:
            del self._running[exchange]
            self._empty.set()

    # Accepting

    def _listen(self) -> None:
        if not self.is_stopping:
            self.loop.add_reader(self._listener, self._accept)

    def _accept(self) -> None:
        """Never more files than we may have: who comes last waits a moment, or is sent away
        where everybody else is being answered."""
        for _ in range(ACCEPTED_AT_ONCE):
            is_full = self.admission.is_full(len(self._connecting))
            if is_full and self.admission.make_room():
                return
            try:
                accepted, _ = self._listener.accept()
            except BlockingIOError:
                return
            except OSError as error:
                log.warning("cannot_accept", error=str(error))
                self.loop.remove_reader(self._listener)
                self.loop.call_later(NO_FILES_SECONDS, self._listen)
                return
            if is_full:
                accepted.close()
                continue
            accepted.setblocking(False)
            task = self.loop.create_task(self._connect(accepted))
            self._connecting.add(task)
            task.add_done_callback(self._connecting.discard)

    async def _connect(self, accepted: socket.socket) -> None:
        try:
            await self.loop.connect_accepted_socket(lambda: Connection(self), accepted)
        except OSError:
            accepted.close()  # it was gone again

    # What is looked at from time to time

    def _sweep(self) -> None:
        now = self.now()
        for connection in [each for each in self._connections if each.deadline <= now]:
            connection.expire()
        again = bool(self._connections)
        self._sweeping = self.loop.call_later(SWEEP_SECONDS, self._sweep) if again else None

    def _give_back(self) -> None:
        self._giving_back = None
        self.admission.lost_bytes = 0
        machine.give_back()
        if self._giving_back_rest is not None:
            self._giving_back_rest.cancel()
        self._giving_back_rest = self.loop.call_later(AFTERWARDS_SECONDS, self._give_back_rest)

    def _give_back_rest(self) -> None:
        self._giving_back_rest = None
        if self.admission.lost_bytes:
            self.admission.lost_bytes = 0
            machine.give_back()
