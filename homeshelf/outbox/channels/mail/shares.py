"""How much of the house's mail is whose.

It is parted so that nobody starves anybody:

    new passwords    a quarter of it, their own
    security         a quarter of it, its own
    the rest         the other half, for the household, for addresses to verify and for invitations.
                     Strangers can cause the last two, so each of them has at most a quarter of the
                     whole, and both together three eighths: the last eighth is the household's.
"""

from collections.abc import Sequence

from homeshelf.config import Settings
from homeshelf.config.values import Rate
from homeshelf.outbox.model import Letter
from homeshelf.web.attempts import Count


def counts_for(settings: Settings, letter: Letter, to: str) -> Sequence[Count]:
    """What a letter counts as; the first is its receiver's, and the last is the widest."""
    services, to = settings.limit_mail, to.lower()
    quarter = max(1, services.times // 4)
    rest = Rate(services.times - 2 * quarter, services.seconds)
    share = Rate(quarter, services.seconds)
    receiver = Count("mail-to", to, settings.limit_letters)
    everything = Count("mail", "the rest", rest)
    by_strangers = Count("mail", "by strangers", _part(rest, 3, 4))
    match letter.kind:
        case "reset":
            own = Count("mail-reset-to", to, settings.limit_resets)
            return own, Count("mail", "resets", share)
        case "password_changed":
            own = Count("mail-security-to", to, settings.limit_letters)
            return own, Count("mail", "security", share)
        case "verify":
            own = Count("mail-verify-to", to, settings.limit_letters)
            verifications = Count("mail", "verifications", share)
            return own, receiver, verifications, by_strangers, everything
        case "invitation":
            own = Count("mail-invitation-to", to, _part(settings.limit_letters, 1, 2))
            by = letter.about.get("by", letter.about["familyId"])
            inviter = Count("mail-invitation-by", by, settings.limit_invitations)
            invitations = Count("mail", "invitations", share)
            return own, receiver, inviter, invitations, by_strangers, everything
    return receiver, everything


def _part(rate: Rate, numerator: int, denominator: int) -> Rate:
    return Rate(max(1, rate.times * numerator // denominator), rate.seconds)
