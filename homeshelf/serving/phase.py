"""What a connection waits for, and how long that may take."""

import math
from enum import Enum

BODY_BYTES_A_SECOND = 50_000
"""So many bytes of a body give it another second."""


class Phase(Enum):
    HEAD = ("the head of a request, which a TLS handshake is part of", 10.0)
    BODY = ("the rest of a body", 30.0)
    STALLED = ("somebody to take more of their answer", 30.0)
    CLOSING = ("the other side to close as well", 5.0)
    ANSWER = ("the application", math.inf)
    IDLE = ("another request, of which nothing has come yet", 75.0)

    def __init__(self, awaited: str, seconds: float) -> None:
        self.awaited = awaited
        self.seconds = seconds

    @property
    def is_unfinished(self) -> bool:
        """Whether it is for the client to go on with what it has begun."""
        return self not in (Phase.ANSWER, Phase.IDLE)
