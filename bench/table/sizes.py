"""How much of each the table layer is asked."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    reads: int = 200
    """Rounds of reading, each of several reads."""
    writes: int = 600
    calls: int = 150
    """Rounds of requests to a server."""
    seconds: float = 0.5
    """Of as many transactions as go."""
