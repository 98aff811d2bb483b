"""One letter on its way: what the outbox says of it at each moment."""

from contextlib import suppress

from homeshelf import clock
from homeshelf.outbox import store
from homeshelf.outbox.channel import Channel
from homeshelf.outbox.model import Letter, Message
from homeshelf.table import Database, TableError


class Delivery:
    def __init__(self, db: Database, letter: Letter) -> None:
        self._db = db
        self._letter = letter
        self._marked: Letter | None = None

    @property
    def is_marked(self) -> bool:
        """Whether the channel may have it: now is no moment to give up."""
        return self._marked is not None

    async def deliver(self, channel: Channel, message: Message) -> None:
        try:
            await channel.send(self._letter.letter_id, message, self._mark)
        except TableError:  # whether the mark was made is unknown, that nothing was sent is not
            with suppress(TableError):
                await self.put_back()
            raise
        await self.throw_away()

    async def put_back(self) -> None:
        """As it was before, due at once."""
        if self._marked is not None:
            await store.replace(self._db, self._marked, self._letter)

    async def postpone(self) -> None:
        old = self._marked or self._letter
        await store.replace(self._db, old, old.postponed(clock.now()))

    async def throw_away(self) -> None:
        await store.throw_away(self._db, self._marked or self._letter)

    async def _mark(self) -> None:
        self._marked = self._letter.being_handed_over(clock.now())
        if not await store.replace(self._db, self._letter, self._marked):
            raise Taken


class Taken(Exception):
    """Another worker was quicker, and has sent it by now or will."""
