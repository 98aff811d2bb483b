"""The credentials for DynamoDB, found by botocore outside of the event loop."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from homeshelf.table.engine import CannotOpen, Unavailable

LAST_SECONDS = 60
"""The time before expiry in which credentials are no longer used; botocore renews them earlier."""
SECONDS_BETWEEN_RENEWALS = 5.0


@dataclass(frozen=True, slots=True)
class Credentials:
    access_key: str
    secret_key: str = field(repr=False)
    token: str | None = field(default=None, repr=False)


class CredentialSource:
    def __init__(
        self, given: Credentials | None, *, between: float = SECONDS_BETWEEN_RENEWALS
    ) -> None:
        self.lasting = given
        self._last = given
        self._chain: Any = None
        self._renewal: asyncio.Task[None] | None = None
        self._renewed_at = 0.0
        self._between = between

    async def current(self, within: float) -> Credentials:
        """Return the credentials, renewing valid ones in the background."""
        if self._last is None or self._expires_in(LAST_SECONDS):
            try:
                async with asyncio.timeout(within):
                    await asyncio.shield(self._renew(soon=True))
            except TimeoutError:
                raise Unavailable("The AWS credentials could not be fetched in time.") from None
        elif self._expires_in(None):
            self._renew()
        if self._last is None:
            raise CannotOpen(
                "There are no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
                "or give the machine a role."
            )
        return self._last

    def _expires_in(self, seconds: int | None) -> bool:
        needs_refresh = getattr(self._chain, "refresh_needed", None)
        return needs_refresh is not None and needs_refresh(seconds)

    def _renew(self, *, soon: bool = False) -> "asyncio.Future[None]":
        loop = asyncio.get_running_loop()
        if self._renewal and not self._renewal.done():
            return self._renewal
        if self._renewal and not soon and loop.time() < self._renewed_at + self._between:
            return self._renewal
        self._renewed_at = loop.time()
        self._renewal = loop.create_task(asyncio.to_thread(self._fetch))
        self._renewal.add_done_callback(_look_at)
        return self._renewal

    def _fetch(self) -> None:
        # Importing botocore takes longer than serving most requests; SQLite never needs it.
        from botocore.session import get_session  # noqa: PLC0415

        known = self._chain is not None
        try:
            self._chain = self._chain or get_session().get_credentials()
            if self._chain:
                found = self._chain.get_frozen_credentials()
                self._last = Credentials(found.access_key, found.secret_key, found.token)
                if not hasattr(self._chain, "refresh_needed"):
                    self.lasting = self._last
        except Exception as error:  # noqa: BLE001  # providers raise what they like
            if known:
                raise Unavailable(f"The AWS credentials could not be renewed: {error}") from None
            raise CannotOpen(f"The AWS credentials cannot be used: {error}") from None


def _look_at(renewal: "asyncio.Task[None]") -> None:
    """Ignore a failure that no caller waits for, because the next call retries."""
    if not renewal.cancelled():
        renewal.exception()
