"""What a way of telling people things has to do. Each module in `channels/` is one.

What goes wrong while a message is sent is one of these, and each asks for something else:

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
        """What letters that wait for it are stored under: it stays."""

    def reaches(self, recipient: Recipient) -> bool:
        """Whether it knows where to find them."""

    def counts(self, letter: Letter, recipient: Recipient) -> Sequence[Count]:
        """What a letter counts as where only so many may go out, its recipient's own first."""

    async def send(self, letter_id: str, message: Message, last_moment: LastMoment) -> None:
        """Returns once the message is somebody else's to keep.

        `last_moment` is awaited when only the message itself is left to be sent. A process
        that ends before it returns has sent nothing; what it raises is passed on, and nothing is
        sent.
        """


class Taken(Exception):
    """Another worker was quicker, and has sent it by now or will."""


class Undelivered(Exception):
    """The text is what the server said, or a sentence that goes on after its name."""


class ServerAway(Undelivered):
    pass


class NotNow(Undelivered):
    pass


class Refused(Undelivered):
    pass


class NoAnswer(Undelivered):
    pass
