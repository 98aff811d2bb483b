"""Limits of the connections, and which one is closed when there are too many.

Connections of an attack wait: for a request, for the rest of a body, for a response to be read.
They are counted per address and in bytes, and the one that has waited longest is closed first: a
real client is served long before.
"""

import math
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from itertools import chain
from typing import TYPE_CHECKING

from homeshelf import ip

if TYPE_CHECKING:
    from homeshelf.serving.guard import ConnectionGuard

CONNECTION_BYTES = 4000
"""The memory of a connection without any data."""


class Phase(Enum):
    """What a connection waits for, and for how many seconds at most."""

    HEAD = ("the head of a request, including the TLS handshake", 10.0)
    BODY = ("the rest of a body", 30.0)
    STALLED = ("the client to read more of its response", 30.0)
    CLOSING = ("the client to close as well", 5.0)
    ANSWER = ("the application", math.inf)
    IDLE = ("the next request", 75.0)

    def __init__(self, _awaited: str, seconds: float) -> None:
        self.seconds = seconds


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
        """Memory of closed connections, since it was last given back to the system."""
        self.connections: Connections = {}
        self._idle: Connections = {}
        self._waiting: Connections = {}
        self._holding: Connections = {}
        self._by_address: defaultdict[str | None, Connections] = defaultdict(dict)

    def add(self, connection: "ConnectionGuard") -> bool:
        """Count a connection if there is room, or if one that does nothing can be aborted."""
        if len(self.connections) >= self._total:
            oldest = next(chain(self._idle, self._waiting), None)
            if oldest is None:
                return False
            oldest.abort()
        self.connections[connection] = None
        host = connection.client[0]
        if not ip.is_in(host, self._exempt):
            connection.address = ip.household(host)
        self.update(connection, 0)
        return True

    def update(self, connection: "ConnectionGuard", held_bytes: int) -> None:
        """Count a connection by phase and memory; one that goes on waiting keeps its place."""
        waits = connection.phase not in (Phase.ANSWER, Phase.IDLE)
        neighbours = self._by_address[connection.address]
        _set_member(self._idle, connection, connection.phase is Phase.IDLE)
        _set_member(self._waiting, connection, waits)
        _set_member(neighbours, connection, waits)
        _set_member(self._holding, connection, held_bytes > 0)
        self._bytes += held_bytes - connection.held_bytes
        connection.held_bytes = held_bytes
        if not neighbours:
            del self._by_address[connection.address]
        elif connection.address is not None and len(neighbours) > self._waiting_per_address:
            next(iter(neighbours)).abort()
        while self._bytes > self._waiting_bytes:
            next(iter(self._holding)).abort()

    def remove(self, connection: "ConnectionGuard") -> None:
        if connection in self.connections:
            del self.connections[connection]
            self.freed_bytes += CONNECTION_BYTES + connection.held_bytes
            connection.phase = Phase.ANSWER
            self.update(connection, 0)


def _set_member(members: Connections, connection: "ConnectionGuard", is_member: bool) -> None:
    if is_member:
        members.setdefault(connection)
    else:
        members.pop(connection, None)
