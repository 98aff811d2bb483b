"""Who we are to DynamoDB: botocore's credential chain, asked away from the event loop."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from homeshelf.table.engine import CannotOpen, Unavailable


@dataclass(frozen=True, slots=True)
class Credentials:
    access_key: str
    secret_key: str = field(repr=False)
    token: str | None = field(default=None, repr=False)


class CredentialSource:
    """The credentials given, or those of the environment, a profile, a container or a machine."""

    def __init__(self, given: Credentials | None) -> None:
        self._last = given
        self._chain: Any = None
        self._renewal: asyncio.Task[Credentials] | None = None

    @property
    def current(self) -> Credentials | None:
        """What to sign with now; None where they have to be fetched first."""
        needs_refresh = getattr(self._chain, "refresh_needed", None)
        return None if needs_refresh and needs_refresh() else self._last

    async def renewed(self, within: float) -> Credentials:
        """Fetched once for all who wait, and for the next even where this one gives up."""
        if self._renewal is None or self._renewal.done():
            self._renewal = asyncio.create_task(asyncio.to_thread(self._fetch))
        try:
            async with asyncio.timeout(within):
                self._last = await asyncio.shield(self._renewal)
        except TimeoutError:
            raise Unavailable("The credentials could not be fetched in time.") from None
        return self._last

    def _fetch(self) -> Credentials:
        # Importing botocore takes longer than serving most requests; SQLite never needs it.
        from botocore.exceptions import BotoCoreError  # noqa: PLC0415
        from botocore.session import get_session  # noqa: PLC0415

        try:
            self._chain = self._chain or get_session().get_credentials()
            found = self._chain and self._chain.get_frozen_credentials()
        except BotoCoreError as error:
            raise CannotOpen(f"The AWS credentials cannot be used: {error}") from None
        if not found:
            raise CannotOpen(
                "There are no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
                "or give the machine a role."
            )
        return Credentials(found.access_key, found.secret_key, found.token)
