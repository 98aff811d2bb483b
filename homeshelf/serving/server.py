"""The server of one ASGI application in a running event loop."""

import asyncio
import socket
import ssl
import time
from email.utils import formatdate
from weakref import WeakValueDictionary

import structlog
from starlette.types import ASGIApp
from uvicorn.config import Config
from uvicorn.server import ServerState

from homeshelf import clock, ip
from homeshelf.serving import machine
from homeshelf.serving.guard import ConnectionGuard
from homeshelf.serving.limits import ConnectionLimits

BACKLOG = 2048
"""The length of the queue of new connections; clients that find it full lose a second."""
ACCEPTED_AT_ONCE = 32
SWEEP_SECONDS = 1.0
STOP_POLL_SECONDS = 0.02
CANCELLED_SECONDS = 1.0
READ_BYTES = 16 * 1024
FREED_BYTES, LAST_FREED_BYTES = 8_000_000, 500_000
"""Freed bytes after which memory is returned to the system: with and without connections."""

log = structlog.get_logger()


class Server:
    def __init__(
        self,
        app: ASGIApp,
        listener: socket.socket,
        limits: ConnectionLimits,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._listener = listener
        self.limits = limits
        self.tls = tls
        self.now = time.monotonic
        self.loop = asyncio.get_running_loop()
        self.config = Config(
            app,
            ws="none",
            proxy_headers=False,
            access_log=False,
            log_config=None,
            log_level="critical",  # the middleware logs what it would log
            reset_contextvars=True,  # a request must not inherit those of the one before it
        )
        self.config.load()
        self.state = ServerState()
        self.buffer = memoryview(bytearray(READ_BYTES))
        """One buffer for all connections, because each read is copied from it at once."""
        self.turns: WeakValueDictionary[str | None, asyncio.Semaphore] = WeakValueDictionary()
        """The turns of each address to start a request."""
        self.is_stopping = False

    def start(self) -> None:
        self._listener.setblocking(False)
        self._listener.listen(BACKLOG)
        self._sweep()

    async def stop(self, grace_seconds: float) -> bool:
        """Finish the current requests; return whether all were finished in time."""
        self.is_stopping = True
        self.loop.remove_reader(self._listener)
        self._listener.close()
        connections, tasks = self.limits.connections, self.state.tasks
        for connection in [*connections]:
            connection.stop()
        ends = self.now() + grace_seconds
        while (connections or tasks) and self.now() < ends:  # noqa: ASYNC110  # only once
            await asyncio.sleep(STOP_POLL_SECONDS)
        is_complete = not (connections or tasks)
        for connection in [*connections]:
            connection.abort()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=CANCELLED_SECONDS)
        return is_complete

    def _accept(self) -> None:
        try:
            for _ in range(ACCEPTED_AT_ONCE):
                accepted, peer = self._listener.accept()
                connection = ConnectionGuard(self, (ip.plain(peer[0]), peer[1]))
                if self.limits.add(connection):
                    connecting = self._connect(connection, accepted)
                    connection.connecting = self.loop.create_task(connecting)
                else:
                    accepted.close()
        except BlockingIOError:
            pass  # there is no more
        except OSError as error:
            log.warning("cannot_accept", error=str(error))
            self.loop.remove_reader(self._listener)  # until the next sweep

    async def _connect(self, connection: ConnectionGuard, accepted: socket.socket) -> None:
        try:
            await self.loop.connect_accepted_socket(lambda: connection, accepted, ssl=self.tls)
        except OSError:
            connection.abort()  # the client left, or speaks no TLS

    def _sweep(self) -> None:
        """Expire connections, free memory and renew the `Date` header every second."""
        if not self.is_stopping or self.limits.connections:
            self.loop.call_later(SWEEP_SECONDS, self._sweep)
        self.state.default_headers = [(b"date", formatdate(clock.seconds(), usegmt=True).encode())]
        if not self.is_stopping:
            self.loop.add_reader(self._listener, self._accept)
        now, connections = self.now(), self.limits.connections
        for connection in [each for each in connections if each.deadline <= now]:
            connection.expire()
        if self.limits.freed_bytes > (FREED_BYTES if connections else LAST_FREED_BYTES):
            self.limits.freed_bytes = 0
            machine.give_memory_back()
