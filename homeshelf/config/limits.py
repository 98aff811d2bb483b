"""The settings for limits on rates, counts and sizes."""

from dataclasses import dataclass
from typing import Any

from homeshelf.config import values
from homeshelf.config.values import Rate, setting


def limit(default: str, help_: str) -> Any:
    return setting(default, values.rate, help_)


@dataclass(frozen=True)
class LimitSettings:
    limit_signups: Rate = limit("60/h", "Sign-ups per address.")
    limit_signins: Rate = limit("10/15min", "Failed sign-ins per address with the same e-mail.")
    limit_signins_address: Rate = limit("100/15min", "Failed sign-ins per address with any e-mail.")
    limit_signins_email: Rate = limit(
        "100/h",
        "Failed sign-ins with the same e-mail from all addresses together; addresses with an "
        "earlier successful sign-in are exempt.",
    )
    limit_signed_in: Rate = limit(
        "60/h", "Successful sign-ins and password confirmations per e-mail."
    )
    limit_sessions: int = setting(
        "100",
        values.count,
        "Devices on which a person may be signed in; one more signs out the least recently used"
        " one.",
    )
    limit_links: Rate = limit(
        "30/15min",
        "Attempts per address to use mailed links, which reset a password, verify an e-mail or "
        "sign in.",
    )
    limit_mail: Rate = setting(
        "200/h", values.rate_of(4, 2000), "Mails sent by the whole installation; further ones wait."
    )
    limit_letters: Rate = limit("10/h", "Mails per recipient; further ones wait.")
    limit_resets: Rate = limit("3/h", "Password reset links per recipient.")
    limit_news: Rate = limit(
        "10/h", "Immediate notifications per recipient; further ones wait for the daily mail."
    )
    limit_invitations: Rate = limit(
        "20/h", "Mailed invitations per inviting person; further ones wait."
    )
    limit_taps: Rate = limit("40/10s", "Changes of a count per tag.")
    limit_taps_day: Rate = limit("2000/24h", "The same over a longer period.")
    limit_unknown: Rate = limit(
        "120/min", "Requests per address for tags and shared lists that do not exist."
    )
    limit_unlocks: Rate = limit("10/15min", "Wrong passcodes per address for the same shared list.")
    limit_unlocks_list: Rate = limit(
        "300/h",
        "Wrong passcodes for the same shared list from all addresses together; addresses that "
        "have unlocked it are exempt.",
    )
    limit_unlocked: Rate = limit(
        "120/h", "Successful unlocks of shared lists and passcode changes per address."
    )
    limit_shares: Rate = limit("1000/h", "New shared lists per address.")
    limit_shares_size: Rate = setting(
        "20MB/24h",
        values.volume,
        "Text that one address may add to shared lists, including the stored responses of its "
        "idempotency keys.",
    )
    limit_shares_size_house: Rate = setting(
        "500MB/24h", values.volume, "The same for all addresses together."
    )
    limit_share_writes: Rate = limit("1200/min", "Changes of shared lists per address.")
    limit_share_writes_list: Rate = limit(
        "1200/min", "Changes of the same shared list from all addresses together."
    )
    limit_writes: Rate = limit("1200/min", "Changes per signed-in person.")
    limit_writes_size: Rate = setting(
        "200MB/24h",
        values.volume,
        "Data that a signed-in person may send with changes; book files do not count.",
    )
    limit_imports: Rate = limit("5/h", "Book imports per person, and as many previews of imports.")
    limit_pictures: Rate = limit(
        "120/min", "Pictures per person in which the server reads barcodes."
    )
    limit_streams: int = setting("20", values.count, "Open streams of live updates per person.")
    limit_share_streams: int = setting(
        "50", values.count, "Open streams of live updates of shared lists per address."
    )
    limit_connections: int = setting(
        "200",
        values.count,
        "Connections per address and process that have not completed a request; one more closes"
        " the oldest. The proxies above are exempt.",
    )
