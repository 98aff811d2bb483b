"""The channel that sends mail."""

from collections.abc import Sequence
from dataclasses import dataclass
from email.headerregistry import Address

from homeshelf.config import Mailbox, MailServer, Rate, Settings
from homeshelf.coordination.attempts import Count
from homeshelf.outbox.channel import BeforeHandover
from homeshelf.outbox.channels.mail.email import address_of, email_of
from homeshelf.outbox.channels.mail.server import connect, hand_over, helo_name
from homeshelf.outbox.model import MAIL, Letter, Message, Recipient
from homeshelf.table import Database


@dataclass(frozen=True)
class MailChannel:
    settings: Settings
    server: MailServer
    sender: Mailbox
    home: str
    name: str = MAIL

    async def find_address(self, _db: Database, recipient: Recipient) -> Address | None:
        return address_of(recipient)

    def counts(self, letter: Letter, recipient: Recipient) -> Sequence[Count]:
        return counts_for(self.settings, letter, recipient.email)

    async def send(
        self, letter_id: str, message: Message, address: Address, before_handover: BeforeHandover
    ) -> None:
        email = email_of(letter_id, message, address, self.sender, self.home)
        async with connect(self.server, helo_name(self.home)) as client:
            await hand_over(client, email, before_handover)


def channel_of(settings: Settings) -> MailChannel | None:
    server, sender, home = settings.smtp_url, settings.mail_from, settings.public_url
    return MailChannel(settings, server, sender, home) if server and sender and home else None


def missing_settings(settings: Settings) -> list[str]:
    needed = {
        "HOMESHELF_SMTP_URL": settings.smtp_url,
        "HOMESHELF_MAIL_FROM": settings.mail_from,
        "HOMESHELF_PUBLIC_URL": settings.public_url,
    }
    return [variable for variable, value in needed.items() if value is None]


def counts_for(settings: Settings, letter: Letter, to: str) -> Sequence[Count]:
    """Return the limits that a letter counts towards, its recipient's first and the widest last.

    Resets and security mail have a quarter of the house's limit each. Verifications and
    invitations, which strangers can cause, have three eighths together.
    """
    house, to = settings.limit_mail, to.lower()
    quarter = max(1, house.times // 4)
    rest = Rate(house.times - 2 * quarter, house.seconds)
    share = Rate(quarter, house.seconds)
    receiver = Count("mail-to", to, settings.limit_letters)
    everything = Count("mail", "the rest", rest)
    by_strangers = Count("mail", "by strangers", _fraction(rest, 3, 4))
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
                Count("mail-invitation-to", to, _fraction(settings.limit_letters, 1, 2)),
                receiver,
                Count("mail-invitation-by", by, settings.limit_invitations),
                Count("mail", "invitations", share),
                by_strangers,
                everything,
            )
    return receiver, everything


def _fraction(rate: Rate, numerator: int, denominator: int) -> Rate:
    return Rate(max(1, rate.times * numerator // denominator), rate.seconds)
