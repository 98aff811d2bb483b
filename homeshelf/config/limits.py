"""The settings that say how often, how many and how much."""

from dataclasses import dataclass
from typing import Annotated

from homeshelf.config import values
from homeshelf.config.values import Rate, Setting


@dataclass(frozen=True)
class LimitSettings:
    limit_signups: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_SIGNUPS",
            "60/h",
            values.rate,
            "How often one address may sign somebody up.",
        ),
    ]
    limit_signins: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_SIGNINS",
            "10/15min",
            values.rate,
            "How often one address may fail to sign in with the same e-mail.",
        ),
    ]
    limit_signins_address: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_SIGNINS_ADDRESS",
            "100/15min",
            values.rate,
            "How often one address may fail to sign in with whatever e-mail.",
        ),
    ]
    limit_signins_email: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_SIGNINS_EMAIL",
            "100/h",
            values.rate,
            "How often all addresses together may fail to sign in with the same e-mail; "
            "those from which it signed in before are exempt.",
        ),
    ]
    limit_signed_in: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_SIGNED_IN",
            "60/h",
            values.rate,
            "How often one e-mail may sign in, or show its password, with the right one.",
        ),
    ]
    limit_sessions: Annotated[
        int,
        Setting(
            "HOMESHELF_LIMIT_SESSIONS",
            "100",
            values.count,
            "On how many devices a person may be signed in; "
            "with one more, the one not used for longest is signed out.",
        ),
    ]
    limit_links: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_LINKS",
            "30/15min",
            values.rate,
            "How often one address may try mailed links: "
            "those for a new password, to verify an e-mail, or to sign in.",
        ),
    ]
    limit_mail: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_MAIL",
            "200/h",
            values.rate_of(4, 2000),
            "How many mails the whole house sends; the rest waits.",
        ),
    ]
    limit_letters: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_LETTERS",
            "10/h",
            values.rate,
            "How often one address is sent mail; the rest waits.",
        ),
    ]
    limit_resets: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_RESETS",
            "3/h",
            values.rate,
            "How often one address is sent a link that sets a new password.",
        ),
    ]
    limit_news: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_NEWS",
            "10/h",
            values.rate,
            "How often one address is told at once what happens at home; "
            "the rest waits for its daily mail.",
        ),
    ]
    limit_invitations: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_INVITATIONS",
            "20/h",
            values.rate,
            "How many invitations of one person are mailed; the rest waits.",
        ),
    ]
    limit_taps: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_TAPS",
            "40/10s",
            values.rate,
            "How often a count may be changed by one tag.",
        ),
    ]
    limit_taps_day: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_TAPS_DAY",
            "2000/24h",
            values.rate,
            "The same over a longer time.",
        ),
    ]
    limit_unknown: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_UNKNOWN",
            "120/min",
            values.rate,
            "How often one address may ask for tags and shared lists that do not exist.",
        ),
    ]
    limit_unlocks: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_UNLOCKS",
            "10/15min",
            values.rate,
            "How often one address may try wrong passcodes of the same shared list.",
        ),
    ]
    limit_unlocks_list: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_UNLOCKS_LIST",
            "300/h",
            values.rate,
            "How often all addresses together may try wrong passcodes of the same shared list; "
            "those that unlocked it before are exempt.",
        ),
    ]
    limit_unlocked: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_UNLOCKED",
            "120/h",
            values.rate,
            "How often one address may unlock shared lists with the right passcode, "
            "or set other passcodes.",
        ),
    ]
    limit_shares: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_SHARES",
            "1000/h",
            values.rate,
            "How many shared lists one address may make.",
        ),
    ]
    limit_shares_size: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_SHARES_SIZE",
            "20MB/24h",
            values.volume,
            "How much text one address may put on shared lists, "
            "with the responses that are stored for its idempotency keys.",
        ),
    ]
    limit_shares_size_house: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_SHARES_SIZE_HOUSE",
            "500MB/24h",
            values.volume,
            "The same for all addresses together.",
        ),
    ]
    limit_share_writes: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_SHARE_WRITES",
            "1200/min",
            values.rate,
            "How often one address may change shared lists.",
        ),
    ]
    limit_share_writes_list: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_SHARE_WRITES_LIST",
            "1200/min",
            values.rate,
            "How often all addresses together may change the same shared list.",
        ),
    ]
    limit_writes: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_WRITES",
            "1200/min",
            values.rate,
            "How often somebody who is signed in may change something.",
        ),
    ]
    limit_writes_size: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_WRITES_SIZE",
            "200MB/24h",
            values.volume,
            "How much somebody who is signed in may send with changes; "
            "files of books do not count.",
        ),
    ]
    limit_imports: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_IMPORTS",
            "5/h",
            values.rate,
            "How often somebody may import books, and as often look at what an import would do.",
        ),
    ]
    limit_streams: Annotated[
        int,
        Setting(
            "HOMESHELF_LIMIT_STREAMS",
            "20",
            values.count,
            "How many streams of live updates one person may have open.",
        ),
    ]
    limit_share_streams: Annotated[
        int,
        Setting(
            "HOMESHELF_LIMIT_SHARE_STREAMS",
            "50",
            values.count,
            "How many streams of live updates of shared lists one address may have open.",
        ),
    ]
    limit_connections: Annotated[
        int,
        Setting(
            "HOMESHELF_LIMIT_CONNECTIONS",
            "200",
            values.count,
            "How many connections of one address a process keeps that have not completed a "
            "request; of more, the oldest is closed. The proxies above are exempt.",
        ),
    ]
