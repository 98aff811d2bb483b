"""The settings for limits on rates, counts and sizes."""

from dataclasses import dataclass
from typing import Any

from homeshelf.config import values
from homeshelf.config.values import Rate, setting


def limit(default: str, help_: str) -> Any:
    return setting(default, values.rate, help_)


@dataclass(frozen=True)
class LimitSettings:
    limit_signups: Rate = limit("60/h", "How often one address may sign somebody up.")
    limit_signins: Rate = limit(
        "10/15min", "How often one address may fail to sign in with the same e-mail."
    )
    limit_signins_address: Rate = limit(
        "100/15min", "How often one address may fail to sign in with whatever e-mail."
    )
    limit_signins_email: Rate = limit(
        "100/h",
        "How often all addresses together may fail to sign in with the same e-mail; "
        "those from which it signed in before are exempt.",
    )
    limit_signed_in: Rate = limit(
        "60/h", "How often one e-mail may sign in, or show its password, with the right one."
    )
    limit_sessions: int = setting(
        "100",
        values.count,
        "On how many devices a person may be signed in; "
        "with one more, the one not used for longest is signed out.",
    )
    limit_links: Rate = limit(
        "30/15min",
        "How often one address may try mailed links: "
        "those for a new password, to verify an e-mail, or to sign in.",
    )
    limit_mail: Rate = setting(
        "200/h", values.rate_of(4, 2000), "How many mails the whole house sends; the rest waits."
    )
    limit_letters: Rate = limit("10/h", "How often one address is sent mail; the rest waits.")
    limit_resets: Rate = limit(
        "3/h", "How often one address is sent a link that sets a new password."
    )
    limit_news: Rate = limit(
        "10/h",
        "How often one address is told at once what happens at home; "
        "the rest waits for its daily mail.",
    )
    limit_invitations: Rate = limit(
        "20/h", "How many invitations of one person are mailed; the rest waits."
    )
    limit_taps: Rate = limit("40/10s", "How often a count may be changed by one tag.")
    limit_taps_day: Rate = limit("2000/24h", "The same over a longer time.")
    limit_unknown: Rate = limit(
        "120/min", "How often one address may ask for tags and shared lists that do not exist."
    )
    limit_unlocks: Rate = limit(
        "10/15min", "How often one address may try wrong passcodes of the same shared list."
    )
    limit_unlocks_list: Rate = limit(
        "300/h",
        "How often all addresses together may try wrong passcodes of the same shared list; "
        "those that unlocked it before are exempt.",
    )
    limit_unlocked: Rate = limit(
        "120/h",
        "How often one address may unlock shared lists with the right passcode, "
        "or set other passcodes.",
    )
    limit_shares: Rate = limit("1000/h", "How many shared lists one address may make.")
    limit_shares_size: Rate = setting(
        "20MB/24h",
        values.volume,
        "How much text one address may put on shared lists, "
        "with the responses that are stored for its idempotency keys.",
    )
    limit_shares_size_house: Rate = setting(
        "500MB/24h", values.volume, "The same for all addresses together."
    )
    limit_share_writes: Rate = limit("1200/min", "How often one address may change shared lists.")
    limit_share_writes_list: Rate = limit(
        "1200/min", "How often all addresses together may change the same shared list."
    )
    limit_writes: Rate = limit(
        "1200/min", "How often somebody who is signed in may change something."
    )
    limit_writes_size: Rate = setting(
        "200MB/24h",
        values.volume,
        "How much somebody who is signed in may send with changes; files of books do not count.",
    )
    limit_imports: Rate = limit(
        "5/h", "How often somebody may import books, and as often look at what an import would do."
    )
    limit_streams: int = setting(
        "20", values.count, "How many streams of live updates one person may have open."
    )
    limit_share_streams: int = setting(
        "50",
        values.count,
        "How many streams of live updates of shared lists one address may have open.",
    )
    limit_connections: int = setting(
        "200",
        values.count,
        "How many connections of one address a process keeps that have not completed a "
        "request; of more, the oldest is closed. The proxies above are exempt.",
    )
