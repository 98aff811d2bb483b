"""Which connections are closed when there are too many of them.

An attack is connections that wait: for a request that never comes, for the rest of a body, for a
response to be read. They are counted per address and in bytes, and the one that has waited longest
is closed first: a real client is served long before.
"""

import math
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import TYPE_CHECKING

from homeshelf import ip

if TYPE_CHECKING:
    from homeshelf.serving.guard import ConnectionGuard

BODY_BYTES_A_SECOND = 50_000
"""A body gets another second for each of these."""
CONNECTION_BYTES = 4000
"""The memory of a connection without any data."""
CROWDED = 100
"""How many idle connections keep uvicorn's protocol, which takes more memory than all else."""


class Phase(Enum):
    """What a connection waits for, and how many seconds it may."""

    HEAD = ("the head of a request, including the TLS handshake", 10.0)
    BODY = ("the rest of a body", 30.0)
    STALLED = ("the client to read more of its response", 30.0)
    CLOSING = ("the client to close as well", 5.0)
    ANSWER = ("the application", math.inf)
    IDLE = ("the next request", 75.0)

    def __init__(self, _awaited: str, seconds: float) -> None:
        self.seconds = seconds

    @property
    def waits_for_client(self) -> bool:
        """Whether the client has to finish something that it has begun."""
        return self not in (Phase.ANSWER, Phase.IDLE)


Connections = dict["ConnectionGuard", None]
"""An ordered set: the longest-waiting connection comes first."""


class ConnectionLimits:
    def __init__(
        self,
        total: int,
        *,
        waiting_per_address: int,
        waiting_bytes: int,
        exempt: Iterable[ip.Network] = (),
    ) -> None:
        """`exempt` networks are proxies, which speak for many addresses."""
        self._total = total
        self._waiting_per_address = waiting_per_address
        self._waiting_bytes = waiting_bytes
        self._exempt = tuple(exempt)
        self._bytes = 0
        self.freed_bytes = 0
        """Memory of connections that ended early, since it was last given back to the system."""
        self._all: Connections = {}
        self._idle: Connections = {}
        self._waiting: Connections = {}
        self._holding: Connections = {}
        self._by_address: defaultdict[str | None, Connections] = defaultdict(dict)

    def is_full(self) -> bool:
        return len(self._all) >= self._total

    def is_crowded(self) -> bool:
        """Whether another idle connection should keep no memory of its last request."""
        return len(self._idle) > CROWDED

    def make_room(self) -> bool:
        """Abort a connection that does nothing; its file is closed a moment later."""
        for connections in (self._idle, self._waiting):
            if connections:
                self._evict(next(iter(connections)))
                return True
        return False

    def add(self, connection: "ConnectionGuard") -> None:
        self._all[connection] = None
        host = connection.client[0]
        is_exempt = bool(self._exempt) and ip.is_in(host, self._exempt)
        connection.address = None if is_exempt else ip.household(host)
        self.move(connection)

    def move(self, connection: "ConnectionGuard") -> None:
        """Count a connection under its new phase; one that still waits keeps its place."""
        self._idle.pop(connection, None)
        if connection.phase.waits_for_client:
            self._waiting.setdefault(connection)
            neighbours = self._by_address[connection.address]
            neighbours.setdefault(connection)
            if connection.address is not None and len(neighbours) > self._waiting_per_address:
                self._evict(next(iter(neighbours)))
            return
        self._stop_waiting(connection)
        if connection.phase is Phase.IDLE:
            self._idle[connection] = None

    def hold(self, connection: "ConnectionGuard", size: int) -> None:
        """Set how many bytes wait in memory for this connection."""
        self._bytes += size - connection.held_bytes
        connection.held_bytes = size
        if not size:
            self._holding.pop(connection, None)
            return
        self._holding[connection] = None
        while self._bytes > self._waiting_bytes:
            self._evict(next(iter(self._holding)))

    def remove(self, connection: "ConnectionGuard") -> None:
        del self._all[connection]
        self.freed_bytes += CONNECTION_BYTES
        self._forget(connection)

    def _stop_waiting(self, connection: "ConnectionGuard") -> None:
        self._waiting.pop(connection, None)
        neighbours = self._by_address[connection.address]
        neighbours.pop(connection, None)
        if not neighbours:
            del self._by_address[connection.address]

    def _evict(self, connection: "ConnectionGuard") -> None:
        self._forget(connection)
        connection.abort()

    def _forget(self, connection: "ConnectionGuard") -> None:
        self._idle.pop(connection, None)
        self._stop_waiting(connection)
        self.freed_bytes += connection.held_bytes
        self.hold(connection, 0)
