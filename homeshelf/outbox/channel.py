"""The contract of the channels in `channels/`. Sending a message fails with one of these:

Undelivered
  ServerAway    it has not taken the message, and would take no other: try again later
  NotNow        it has not taken this message yet: try this one again later
  Refused       it will never take this message
  NoAnswer      it was given the message and has not said whether it took it
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from homeshelf.coordination.attempts import Count
from homeshelf.outbox.model import Letter, Message, Recipient
from homeshelf.table import HELPER, Database, Record

LastMoment = Callable[[], Awaitable[None]]
A = TypeVar("A")


class PersonalAddress(Record):
    """Where a channel reaches a person, if that is no mail address. The channel's module declares
    a class of its own, with the key `ACCOUNT#{memberId}` and a sort key of its own."""

    table = HELPER
    member_id: str

    def __repr_args__(self) -> Iterator[tuple[str, Any]]:
        """Show no address in logs."""
        yield "member_id", self.member_id


class Channel(Protocol[A]):
    """A way to reach people. `A` is what its server needs to know to reach somebody."""

    @property
    def name(self) -> str:
        """The name under which letters for the channel are stored."""

    async def find_address(self, db: Database, recipient: Recipient) -> A | None:
        """Return where the channel reaches the recipient, or None."""

    def counts(self, letter: Letter, recipient: Recipient) -> Sequence[Count]:
        """Return the limits that a letter counts towards, the recipient's own first."""

    async def send(
        self, letter_id: str, message: Message, address: A, last_moment: LastMoment
    ) -> None:
        """Return when the channel has taken the message. Await `last_moment` when only the message
        itself is left to be sent; if it raises or the process ends before, nothing was sent."""


class Taken(Exception):
    """Another worker was faster."""


class Undelivered(Exception):
    """The text is logged. It is what a mail server said, or continues a sentence that begins with
    the server's name, and it never has a personal address."""


class ServerAway(Undelivered):
    pass


class NotNow(Undelivered):
    pass


class Refused(Undelivered):
    pass


class NoAnswer(Undelivered):
    pass
