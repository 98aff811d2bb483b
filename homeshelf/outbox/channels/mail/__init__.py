"""Mail: what people are told as mails, given to a server."""

from collections.abc import Sequence
from dataclasses import dataclass

from homeshelf.config import Settings
from homeshelf.config.addresses import Mailbox, MailServer
from homeshelf.outbox.channel import LastMoment
from homeshelf.outbox.channels.mail.email import address_of, email_of
from homeshelf.outbox.channels.mail.server import connected, hand_over, introduced_as
from homeshelf.outbox.channels.mail.shares import counts_for
from homeshelf.outbox.model import MAIL, Letter, Message, Recipient
from homeshelf.web.attempts import Count


@dataclass(frozen=True)
class MailChannel:
    settings: Settings
    server: MailServer
    sender: Mailbox
    home: str
    """The address that links begin with."""
    name: str = MAIL

    def reaches(self, recipient: Recipient) -> bool:
        return address_of(recipient) is not None

    def counts(self, letter: Letter, recipient: Recipient) -> Sequence[Count]:
        return counts_for(self.settings, letter, recipient.email)

    async def send(self, letter_id: str, message: Message, last_moment: LastMoment) -> None:
        email = email_of(letter_id, message, self.sender, self.home)
        async with connected(self.server, introduced_as(self.home)) as client:
            await hand_over(client, email, last_moment)


def channel_of(settings: Settings) -> MailChannel | None:
    server, sender, home = settings.smtp_url, settings.mail_from, settings.public_url
    return MailChannel(settings, server, sender, home) if server and sender and home else None


def missing(settings: Settings) -> list[str]:
    needed = {
        "HOMESHELF_SMTP_URL": settings.smtp_url,
        "HOMESHELF_MAIL_FROM": settings.mail_from,
        "HOMESHELF_PUBLIC_URL": settings.public_url,
    }
    return [variable for variable, value in needed.items() if value is None]
