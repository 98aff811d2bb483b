"""Limits on the duration and number of retries against a DynamoDB server."""

import asyncio
import random
from time import monotonic

FIRST_PAUSE, LONGEST_PAUSE = 0.025, 1.0
SHORTEST_ATTEMPT = 0.1
RETRY_COST = 5
RETRIES = 100


class RetryBudget:
    """The retries that one process may spend: an outage uses them up, successes refill them."""

    def __init__(self, retries: int = RETRIES) -> None:
        self._full = self._left = retries * RETRY_COST

    def spend(self) -> bool:
        if self._left < RETRY_COST:
            return False
        self._left -= RETRY_COST
        return True

    def earn(self, *, retried: bool) -> None:
        """Refund a retry that succeeded, or add a little for a success at the first attempt."""
        self._left = min(self._full, self._left + (RETRY_COST if retried else 1))


class Patience:
    def __init__(self, seconds: float, budget: RetryBudget, since: float | None = None) -> None:
        self._ends = (monotonic() if since is None else since) + seconds
        self._longest = FIRST_PAUSE
        self._budget = budget

    @property
    def left(self) -> float:
        return self._ends - monotonic()

    async def pause(self, *, free: bool = False) -> bool:
        wait = random.random() * self._longest  # noqa: S311  # spreads callers, keeps no secret
        self._longest = min(2 * self._longest, LONGEST_PAUSE)
        if self.left < wait + SHORTEST_ATTEMPT:
            return False
        if not free and not self._budget.spend():
            return False
        await asyncio.sleep(wait)
        return True
