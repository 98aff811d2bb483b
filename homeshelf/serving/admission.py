"""Which connections may stay when there are too many of them.

An attack is connections that wait: for a request that never comes, for the rest of a body, for an
answer to be taken. So these are counted, by household and in bytes, and of too many the one that
has waited longest goes: who really asks something is answered long before.
"""

import math
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import TYPE_CHECKING

from homeshelf import ip

if TYPE_CHECKING:
    from homeshelf.serving.connection import Connection

BODY_BYTES_A_SECOND = 50_000
"""So many bytes of a body give it another second."""


class Phase(Enum):
    HEAD = ("the head of a request, which a TLS handshake is part of", 10.0)
    BODY = ("the rest of a body", 30.0)
    STALLED = ("somebody to take more of their answer", 30.0)
    CLOSING = ("the other side to close as well", 5.0)
    ANSWER = ("the application", math.inf)
    IDLE = ("another request, of which nothing has come yet", 75.0)

    def __init__(self, _awaited: str, seconds: float) -> None:
        self.seconds = seconds

    @property
    def is_unfinished(self) -> bool:
        """Whether it is for the client to go on with what it has begun."""
        return self not in (Phase.ANSWER, Phase.IDLE)


CONNECTION_BYTES = 4000
"""What each one takes by itself."""
Ordered = dict["Connection", None]
"""By when they came to be among these."""


class Admission:
    def __init__(
        self,
        most: int,
        *,
        most_waiting: int,
        most_bytes: int,
        exempt: Iterable[ip.Network] = (),
    ) -> None:
        """At most so many at all, so many of one household that wait, and so many bytes for them.

        Those of `exempt` networks are of many households.
        """
        self._most = most
        self._most_waiting = most_waiting
        self._most_bytes = most_bytes
        self._exempt = tuple(exempt)
        self._bytes = 0
        self.lost_bytes = 0
        """Held by connections that left or were sent away; set back once they are freed."""
        self._all: Ordered = {}
        self._idle: Ordered = {}
        self._waiting: Ordered = {}
        self._holding: Ordered = {}
        self._households: defaultdict[str, Ordered] = defaultdict(dict)

    def is_full(self, coming: int = 0) -> bool:
        """Whether there is no room, with so many that are about to enter."""
        return len(self._all) + coming >= self._most

    def make_room(self) -> bool:
        """Send one away that does nothing, whose file is closed a moment later."""
        for those in (self._idle, self._waiting):
            if those:
                self._send_away(next(iter(those)))
                return True
        return False

    def enter(self, connection: "Connection") -> None:
        self._all[connection] = None
        address = connection.client[0]
        is_exempt = bool(self._exempt) and ip.is_in(address, self._exempt)
        connection.household = None if is_exempt else ip.household(address)
        self.move(connection)

    def move(self, connection: "Connection") -> None:
        if connection.phase.is_unfinished:
            self._idle.pop(connection, None)
            if connection not in self._waiting:
                self._wait(connection)
            return
        if connection in self._waiting:
            self._wait_no_more(connection)
        self._idle.pop(connection, None)
        if connection.phase is Phase.IDLE:
            self._idle[connection] = None

    def hold(self, connection: "Connection", number: int) -> None:
        self._bytes += number - connection.held
        connection.held = number
        if not number:
            self._holding.pop(connection, None)
            return
        self._holding[connection] = None
        while self._bytes > self._most_bytes:
            self._send_away(next(iter(self._holding)))

    def leave(self, connection: "Connection") -> None:
        if self._all.pop(connection, self) is None:
            self.lost_bytes += CONNECTION_BYTES
        self._forget(connection)

    def _wait(self, connection: "Connection") -> None:
        self._waiting[connection] = None
        household = connection.household
        if household is not None:
            those = self._households[household]
            those[connection] = None
            if len(those) > self._most_waiting:
                self._send_away(next(iter(those)))

    def _wait_no_more(self, connection: "Connection") -> None:
        del self._waiting[connection]
        household = connection.household
        if household is not None:
            those = self._households[household]
            del those[connection]
            if not those:
                del self._households[household]

    def _send_away(self, connection: "Connection") -> None:
        self._forget(connection)
        connection.abort()

    def _forget(self, connection: "Connection") -> None:
        self._idle.pop(connection, None)
        if connection in self._waiting:
            self._wait_no_more(connection)
        self.lost_bytes += connection.held
        self.hold(connection, 0)
