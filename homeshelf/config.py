"""The settings, read once from `HOMESHELF_*` variables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

from homeshelf import addresses, ip, mailboxes, values
from homeshelf.addresses import BadAddress, DynamoDBAt, SqliteAt
from homeshelf.mailboxes import Mailbox, MailServer
from homeshelf.values import BadValue, Rate

__all__ = [
    "BadSetting",
    "DynamoDBAt",
    "Setting",
    "Settings",
    "SqliteAt",
    "declared",
    "read_settings",
]


class BadSetting(Exception):
    """A variable has a wrong value; the text is one sentence that says what is right."""


@dataclass(frozen=True)
class Setting:
    """How a setting is written; its default may name an earlier one, as in `{data_dir}/x`."""

    variable: str
    default: str | None
    read: Callable[[str], Any]
    help: str


@dataclass(frozen=True)
class Settings:
    data_dir: Annotated[
        Path,
        Setting(
            "HOMESHELF_DATA_DIR",
            "./data",
            addresses.folder,
            "The folder that holds what the household stores.",
        ),
    ]
    database: Annotated[
        SqliteAt | DynamoDBAt,
        Setting(
            "HOMESHELF_DATABASE",
            "sqlite:///{data_dir}/homeshelf.db",
            addresses.database,
            "Where the data lives: `sqlite:///` and a file, "
            "or `dynamodb://<region>?endpoint=<url>&prefix=<text>&prefixes=range`.",
        ),
    ]
    public_url: Annotated[
        str | None,
        Setting(
            "HOMESHELF_PUBLIC_URL",
            None,
            addresses.web_address,
            "The address that links and tags carry, such as `https://shelf.example`.",
        ),
    ]
    secret: Annotated[
        bytes | None,
        Setting(
            "HOMESHELF_SECRET",
            None,
            values.secret,
            "What signs tokens, at least 32 characters; unset, one is made and kept with the data.",
        ),
    ] = field(repr=False)
    smtp_url: Annotated[
        MailServer | None,
        Setting(
            "HOMESHELF_SMTP_URL",
            None,
            mailboxes.mail_server,
            "The server that sends mail, such as `smtps://user:password@mail.example`.",
        ),
    ] = field(repr=False)
    mail_from: Annotated[
        Mailbox | None,
        Setting(
            "HOMESHELF_MAIL_FROM",
            None,
            mailboxes.mailbox,
            "Whom mail comes from, such as `Homeshelf <shelf@example.org>`.",
        ),
    ]
    oidc_issuer: Annotated[
        str | None,
        Setting(
            "HOMESHELF_OIDC_ISSUER",
            None,
            addresses.issuer,
            "The identity provider that people sign in with, such as `https://id.example`.",
        ),
    ]
    oidc_audience: Annotated[
        str | None,
        Setting(
            "HOMESHELF_OIDC_AUDIENCE",
            None,
            values.word,
            "Whom the provider's tokens must be for; needed with an issuer.",
        ),
    ]
    oidc_client_id: Annotated[
        str | None,
        Setting(
            "HOMESHELF_OIDC_CLIENT_ID",
            None,
            values.word,
            "What the provider calls Homeshelf, where that is not the audience.",
        ),
    ]
    oidc_client_secret: Annotated[
        str | None,
        Setting(
            "HOMESHELF_OIDC_CLIENT_SECRET",
            None,
            values.word,
            "What proves to the provider that it is Homeshelf that asks, if it wants proof.",
        ),
    ] = field(repr=False)
    oidc_session_days: Annotated[
        int,
        Setting(
            "HOMESHELF_OIDC_SESSION_DAYS",
            "7",
            values.count,
            "For how many days somebody stays signed in whom the provider vouched for.",
        ),
    ]
    signup: Annotated[
        Literal["open", "invited", "closed"],
        Setting(
            "HOMESHELF_SIGNUP",
            "open",
            values.one_of("open", "invited", "closed"),
            "Who may sign up: `open` (anyone), `invited` (those with an invitation) or `closed`.",
        ),
    ]
    shares: Annotated[
        Literal["anyone", "members"],
        Setting(
            "HOMESHELF_SHARES",
            "anyone",
            values.one_of("anyone", "members"),
            "Who may make shared lists: `anyone`, or `members` who are signed in.",
        ),
    ]
    trusted_proxies: Annotated[
        tuple[ip.Network, ...],
        Setting(
            "HOMESHELF_TRUSTED_PROXIES",
            "none",
            values.networks,
            "The proxies whose forwarding headers count, such as `127.0.0.1, 192.168.1.5`.",
        ),
    ]
    hosts: Annotated[
        tuple[str, ...],
        Setting(
            "HOMESHELF_HOSTS",
            "none",
            values.hosts,
            "Other names that Homeshelf is asked for by, such as `shelf.local`, where "
            "HOMESHELF_PUBLIC_URL is set.",
        ),
    ]
    metrics: Annotated[
        Literal["off", "local", "anyone"],
        Setting(
            "HOMESHELF_METRICS",
            "off",
            values.one_of("off", "local", "anyone"),
            "Who may read `/metrics`: nobody, this machine, or anyone.",
        ),
    ]
    design: Annotated[
        Literal["off", "on"],
        Setting(
            "HOMESHELF_DESIGN",
            "off",
            values.one_of("off", "on"),
            "Whether `/design` shows the parts that pages are made of: `off`, or `on` "
            "for those who build pages.",
        ),
    ]
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Setting(
            "HOMESHELF_LOG_LEVEL",
            "info",
            values.one_of("debug", "info", "warning", "error"),
            "How much is logged: `debug`, `info` (a line a request), `warning` or `error`.",
        ),
    ]
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
            "How much the shared lists that one address makes may hold together.",
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
    limit_writes: Annotated[
        Rate,
        Setting(
            "HOMESHELF_LIMIT_WRITES",
            "1200/min",
            values.rate,
            "How often somebody who is signed in may change something.",
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


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings of an environment, such as `os.environ`; an empty variable counts as unset."""
    read: dict[str, Any] = {}
    for name, setting in declared().items():
        text = environment.get(setting.variable) or _default(setting, read)
        try:
            read[name] = None if text is None else setting.read(text)
        except (BadAddress, BadValue) as wrong:
            raise BadSetting(f"{setting.variable} {wrong}") from None
    if read["oidc_issuer"] and not read["oidc_audience"]:
        raise BadSetting("HOMESHELF_OIDC_ISSUER needs HOMESHELF_OIDC_AUDIENCE beside it.")
    return Settings(**read)


def declared() -> dict[str, Setting]:
    """Every setting by the name of its field, in order."""
    hints = get_type_hints(Settings, include_extras=True)
    return {name: hint.__metadata__[0] for name, hint in hints.items()}


def _default(setting: Setting, earlier: dict[str, Any]) -> str | None:
    return None if setting.default is None else setting.default.format_map(earlier)
