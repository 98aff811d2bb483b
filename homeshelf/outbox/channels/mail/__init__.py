"""The channel that sends mail."""

from collections.abc import Sequence
from dataclasses import dataclass
from email.headerregistry import Address

from homeshelf.config import Mailbox, MailServer, Rate, Settings
from homeshelf.coordination.attempts import Count
from homeshelf.outbox.channel import LastMoment
from homeshelf.outbox.channels.mail.email import address_of, email_of
from homeshelf.outbox.channels.mail.server import connected, hand_over, introduced_as
from homeshelf.outbox.model import MAIL, Letter, Message, Recipient
from homeshelf.table import Database


@dataclass(frozen=True)
class MailChannel:
    settings: Settings
    server: MailServer
    sender: Mailbox
    home: str
    """The address that links begin with."""
    name: str = MAIL

    async def find_address(self, _db: Database, recipient: Recipient) -> Address | None:
        return address_of(recipient)

    def counts(self, letter: Letter, recipient: Recipient) -> Sequence[Count]:
        return counts_for(self.settings, letter, recipient.email)

    async def send(
        self, letter_id: str, message: Message, address: Address, last_moment: LastMoment
    ) -> None:
        email = email_of(letter_id, message, address, self.sender, self.home)
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


def counts_for(settings: Settings, letter: Letter, to: str) -> Sequence[Count]:
    """Return the limits that a letter counts towards, its recipient's first and the widest last.

    Password resets have a quarter of the house's mail, and security another. Verifications and
    invitations, which strangers can cause, have at most a quarter each and three eighths together:
    the last eighth is the household's.
    """
    house, to = settings.limit_mail, to.lower()
    quarter = max(1, house.times // 4)
    rest = Rate(house.times - 2 * quarter, house.seconds)
    share = Rate(quarter, house.seconds)
    receiver = Count("mail-to", to, settings.limit_letters)
    everything = Count("mail", "the rest", rest)
    by_strangers = Count("mail", "by strangers", _part(rest, 3, 4))
    match letter.kind:
        case "reset":
            return Count("mail-reset-to", to, settings.limit_resets), Count("mail", "resets", share)
        case "password_changed" | "address_changed" | "new_device":
            return (
                Count("mail-security-to", to, settings.limit_letters),
                Count("mail", "security", share),
            )
        case "verify" | "new_address":
            return (
                Count(f"mail-{letter.kind}-to", to, settings.limit_letters),
                receiver,
                Count("mail", "verifications", share),
                by_strangers,
                everything,
            )
        case "invitation" | "child_address":
            by = letter.about.get("by", letter.about["familyId"])
            return (
                Count("mail-invitation-to", to, _part(settings.limit_letters, 1, 2)),
                receiver,
                Count("mail-invitation-by", by, settings.limit_invitations),
                Count("mail", "invitations", share),
                by_strangers,
                everything,
            )
    return receiver, everything


def _part(rate: Rate, numerator: int, denominator: int) -> Rate:
    return Rate(max(1, rate.times * numerator // denominator), rate.seconds)
