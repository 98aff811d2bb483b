"""The contract of the channels in `channels/`. Sending a message fails with one of these:

Undelivered
  ServerAway    it has not taken the message, and would take no other: try again later
  NotNow        it has not taken this message yet: try this one again later
  Refused       it will never take this message
  NoAnswer      it was given the message and has not said whether it took it
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from homeshelf.outbox.model import Letter, Message, Recipient
from homeshelf.web.attempts import Count

LastMoment = Callable[[], Awaitable[None]]


class Channel(Protocol):
    @property
    def name(self) -> str:
        """The name under which letters for the channel are stored."""

    def reaches(self, recipient: Recipient) -> bool:
        """Return whether the channel has an address of the recipient."""

    def counts(self, letter: Letter, recipient: Recipient) -> Sequence[Count]:
        """Return the limits that a letter counts towards, the recipient's own first."""

    async def send(self, letter_id: str, message: Message, last_moment: LastMoment) -> None:
        """Return when the channel has taken the message. Await `last_moment` when only the message
        itself is left to be sent; if it raises or the process ends before, nothing was sent."""


class Taken(Exception):
    """Another worker was faster."""


class Undelivered(Exception):
    """The text is what the server said, or continues a sentence that begins with its name."""


class ServerAway(Undelivered):
    pass


class NotNow(Undelivered):
    pass


class Refused(Undelivered):
    pass


class NoAnswer(Undelivered):
    pass
