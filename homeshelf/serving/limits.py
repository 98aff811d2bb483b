"""Limits on connections, and the choice of the connection to close when one is reached.

The longest-waiting connection is closed first: a real client is served long before.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain
from typing import TYPE_CHECKING

from homeshelf import ip

if TYPE_CHECKING:
    from homeshelf.serving.guard import ConnectionGuard

CONNECTION_BYTES = 4000
"""The memory of a connection without any data."""


class Phase(Enum):
    """The event that a connection waits for, and the longest wait in seconds."""

    HEAD = ("the head of a request, including the TLS handshake", 10.0)
    BODY = ("the rest of a body", 30.0)
    STALLED = ("the client to read more of its response", 30.0)
    CLOSING = ("the client to close as well", 5.0)
    ANSWER = ("the application", math.inf)
    IDLE = ("the next request", 75.0)

    @property
    def seconds(self) -> float:
        return self.value[1]


Connections = dict["ConnectionGuard", None]
"""An ordered set: the longest-waiting connection comes first."""


@dataclass(kw_only=True)
class ConnectionLimits:
    total: int
    waiting_per_address: int
    waiting_bytes: int
    exempt: Collection[ip.Network] = ()
    """Networks of proxies, whose connections carry the requests of many addresses."""
    freed_bytes: int = 0
    """Memory of closed connections that was not yet returned to the system."""
    connections: Connections = field(default_factory=dict)
    _bytes: int = 0
    _idle: Connections = field(default_factory=dict)
    _waiting: Connections = field(default_factory=dict)
    _by_address: dict[str | None, Connections] = field(default_factory=dict)

    def add(self, connection: "ConnectionGuard") -> bool:
        """Count a connection if there is room or an idle or waiting one can be aborted."""
        if len(self.connections) >= self.total:
            oldest = next(chain(self._idle, self._waiting), None)
            if oldest is None:
                return False
            oldest.abort()
        self.connections[connection] = None
        host = connection.client[0]
        if not ip.is_in(host, self.exempt):
            connection.address = ip.household(host)
        self.update(connection, 0)
        return True

    def update(self, connection: "ConnectionGuard", held_bytes: int) -> None:
        """Count a connection by phase and memory; one that still waits keeps its place."""
        self._bytes += held_bytes - connection.held_bytes
        connection.held_bytes = held_bytes
        is_idle = connection.phase is Phase.IDLE
        waits = held_bytes > 0 or not (is_idle or connection.phase is Phase.ANSWER)
        neighbours = self._by_address.setdefault(connection.address, {})
        for group, is_member in (self._idle, is_idle), (self._waiting, waits), (neighbours, waits):
            if is_member:
                group.setdefault(connection)
            else:
                group.pop(connection, None)
        if not neighbours:
            del self._by_address[connection.address]
        elif connection.address is not None and len(neighbours) > self.waiting_per_address:
            next(iter(neighbours)).abort()
        while self._bytes > self.waiting_bytes:
            next(iter(self._waiting)).abort()

    def remove(self, connection: "ConnectionGuard") -> None:
        if connection in self.connections:
            del self.connections[connection]
            self.freed_bytes += CONNECTION_BYTES + connection.held_bytes
            connection.phase = Phase.ANSWER
            self.update(connection, 0)
