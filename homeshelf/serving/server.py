"""A server of one ASGI application, inside an event loop that is running."""

import asyncio
import socket
import ssl
import time
from collections.abc import Callable
from email.utils import formatdate

import structlog
from starlette.types import ASGIApp
from uvicorn.config import Config
from uvicorn.server import ServerState

from homeshelf import clock, ip
from homeshelf.serving import machine
from homeshelf.serving.guard import ConnectionGuard
from homeshelf.serving.limits import ConnectionLimits
from homeshelf.serving.middleware import RequestGate
from homeshelf.serving.protocol import HttpProtocol

BACKLOG = 2048
"""The system drops who comes when it is full, and they try again only after a second."""
ACCEPTED_AT_ONCE = 32
NO_FILES_SECONDS = 0.5
SWEEP_SECONDS = 1.0
CANCELLED_SECONDS = 1.0
READ_BYTES = 16 * 1024
GIVE_BACK_SECONDS = 0.2
"""So that the requests that were cut off have ended."""
FREED_BYTES, LAST_FREED_BYTES = 8_000_000, 500_000
"""After so many, memory is given back to the system: during an attack, and once all have left."""

log = structlog.get_logger()


class Server:
    def __init__(
        self,
        app: ASGIApp,
        listener: socket.socket,
        limits: ConnectionLimits,
        tls: ssl.SSLContext | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._listener = listener
        self.limits = limits
        self.tls = tls
        self.now = now
        self.loop = asyncio.get_running_loop()
        self.config = _config(app)
        self.state = ServerState()
        self.buffer = memoryview(bytearray(READ_BYTES))
        """One for all connections, because no bytes wait in it."""
        self.is_stopping = False
        self._connections: dict[ConnectionGuard, asyncio.Task[None] | None] = {}
        """With the task of those that are not connected yet."""
        self._giving_back: asyncio.TimerHandle | None = None
        self._sweeping: asyncio.TimerHandle | None = None
        self._changed = asyncio.Event()

    def start(self) -> None:
        self._listener.setblocking(False)
        self._listener.listen(BACKLOG)
        self._listen()

    async def stop(self, grace_seconds: float) -> bool:
        """Finish what has begun; return whether all of it was finished in that time."""
        self.is_stopping = True
        self.loop.remove_reader(self._listener)
        self._listener.close()
        for connection in [*self._connections]:
            connection.stop()
        tasks = self.state.tasks
        try:
            async with asyncio.timeout(grace_seconds):
                while self._connections:
                    self._changed.clear()
                    await self._changed.wait()
                while tasks:
                    await asyncio.wait(tasks)
        except TimeoutError:
            for connection in [*self._connections]:
                connection.abort()
            for task in tasks:
                task.cancel()
            if tasks:
                await asyncio.wait(tasks, timeout=CANCELLED_SECONDS)
            return False
        finally:
            for timer in (self._sweeping, self._giving_back):
                if timer is not None:
                    timer.cancel()
        return True

    def closed(self, connection: ConnectionGuard) -> None:
        self._connections.pop(connection, None)
        self.limits.remove(connection)
        self._changed.set()
        if self.limits.freed_bytes > FREED_BYTES and self._giving_back is None:
            self._giving_back = self.loop.call_later(GIVE_BACK_SECONDS, self._give_back)

    def cancel_handshake(self, connection: ConnectionGuard) -> None:
        connecting = self._connections.get(connection)
        if connecting is not None:
            self.loop.call_soon(connecting.cancel)  # it may not have begun

    # Accepting

    def _listen(self) -> None:
        if not self.is_stopping:
            self.loop.add_reader(self._listener, self._accept)

    def _accept(self) -> None:
        """Accept a few, or one where there is no room: then another is closed, or else this one."""
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                accepted, peer = self._listener.accept()
            except BlockingIOError:
                return
            except OSError as error:
                log.warning("cannot_accept", error=str(error))
                self.loop.remove_reader(self._listener)
                self.loop.call_later(NO_FILES_SECONDS, self._listen)
                return
            is_full = self.limits.is_full()
            if not is_full or self.limits.make_room():
                self._start_connecting(accepted, (ip.plain(peer[0]), peer[1]))
            else:
                accepted.close()
            if is_full:
                return

    def _start_connecting(self, accepted: socket.socket, client: tuple[str, int]) -> None:
        """Count a connection from now on, before its TLS handshake."""
        accepted.setblocking(False)
        connection = ConnectionGuard(self, client)
        self._connections[connection] = self.loop.create_task(self._connect(connection, accepted))
        self.limits.add(connection)
        if self._sweeping is None:
            self._sweep()

    async def _connect(self, connection: ConnectionGuard, accepted: socket.socket) -> None:
        try:
            await self.loop.connect_accepted_socket(lambda: connection, accepted, ssl=self.tls)
        except OSError:
            pass  # a client that left, or speaks no TLS
        finally:
            if not connection.is_connected:
                accepted.close()
                self.closed(connection)
            elif connection in self._connections:
                self._connections[connection] = None

    # Done from time to time

    def _sweep(self) -> None:
        """Close connections whose deadline has passed, and follow the time and the memory."""
        self.state.default_headers = [(b"date", formatdate(clock.seconds(), usegmt=True).encode())]
        now = self.now()
        for connection in [each for each in self._connections if each.deadline <= now]:
            connection.expire()
        enough = FREED_BYTES if self._connections else LAST_FREED_BYTES
        if self._giving_back is None and self.limits.freed_bytes > enough:
            self._give_back()
        again = bool(self._connections)
        self._sweeping = self.loop.call_later(SWEEP_SECONDS, self._sweep) if again else None

    def _give_back(self) -> None:
        self._giving_back = None
        self.limits.freed_bytes = 0
        machine.give_back()


def _config(app: ASGIApp) -> Config:
    """The settings of uvicorn that its protocol reads."""
    config = Config(
        RequestGate(app),
        http=HttpProtocol,
        ws="none",
        lifespan="off",
        interface="asgi3",
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_config=None,
        log_level="critical",  # the middleware logs what it would log
        reset_contextvars=True,  # a request must not inherit those of the one before it
        timeout_keep_alive=24 * 3600,  # the server closes idle connections
    )
    config.load()
    return config
