"""How long and how often a DynamoDB server is asked again."""

import asyncio
import random
from time import monotonic

FIRST_PAUSE, LONGEST_PAUSE = 0.025, 1.0
SHORTEST_ATTEMPT = 0.1
RETRY_COST = 5
RETRIES = 100


class RetryBudget:
    """What the retries of one process may cost; successes fill it up again.

    In an outage it is soon empty, and every request is sent once: many times would make it worse.
    """

    def __init__(self, retries: int = RETRIES) -> None:
        self._full = self._left = retries * RETRY_COST

    def spend(self) -> bool:
        """Whether there is enough for one more retry, which it takes."""
        if self._left < RETRY_COST:
            return False
        self._left -= RETRY_COST
        return True

    def earn(self, *, retried: bool) -> None:
        """A success gives back what its own retry took, or a little where it needed none."""
        self._left = min(self._full, self._left + (RETRY_COST if retried else 1))


class Patience:
    """How long to go on trying, with pauses that grow and that no two callers share."""

    def __init__(self, seconds: float, budget: RetryBudget, since: float | None = None) -> None:
        self._ends = (monotonic() if since is None else since) + seconds
        self._longest = FIRST_PAUSE
        self._budget = budget

    @property
    def left(self) -> float:
        return self._ends - monotonic()

    async def pause(self, *, free: bool = False) -> bool:
        """Wait a little; False when there is too little time for an answer, or nothing to spend.

        It is `free` where the server is well and only others were quicker.
        """
        wait = random.random() * self._longest  # noqa: S311  # spreads callers, keeps no secret
        self._longest = min(2 * self._longest, LONGEST_PAUSE)
        if self.left < wait + SHORTEST_ATTEMPT:
            return False
        if not free and not self._budget.spend():
            return False
        await asyncio.sleep(wait)
        return True
