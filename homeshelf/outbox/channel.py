"""The interface of the channels in `channels/`, and the errors of sending a message."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from homeshelf.coordination.attempts import Count
from homeshelf.outbox.model import Letter, Message, Recipient
from homeshelf.table import HELPER, Database, Record

BeforeHandover = Callable[[], Awaitable[None]]
A = TypeVar("A")


class PersonalAddress(Record):
    """A person's address; a channel declares a subclass with the key `ACCOUNT#{memberId}`."""

    table = HELPER
    member_id: str

    def __repr_args__(self) -> Iterator[tuple[str, Any]]:
        yield "member_id", self.member_id


class Channel(Protocol[A]):
    """A way to reach people; `A` is the type of its addresses."""

    @property
    def name(self) -> str: ...

    async def find_address(self, db: Database, recipient: Recipient) -> A | None: ...

    def counts(self, letter: Letter, recipient: Recipient) -> Sequence[Count]:
        """Return the limits that a letter counts towards, the recipient's own first."""

    async def send(
        self, letter_id: str, message: Message, address: A, before_handover: BeforeHandover
    ) -> None:
        """Send a message; await `before_handover` just before its content, after which it may be
        sent."""


class Taken(Exception):
    """The error of a letter that another worker is sending."""


class Undelivered(Exception):
    """The error of an undelivered message; its logged text has no personal address."""


class ServerUnavailable(Undelivered):
    """The server takes no message now; try all later."""


class TemporaryFailure(Undelivered):
    """The server did not take this message yet; try it later."""


class Refused(Undelivered):
    """The channel will never take this message."""


class NoResponse(Undelivered):
    """The server did not say whether it took the message."""
