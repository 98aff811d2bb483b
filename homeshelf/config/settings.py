"""The settings, read once from `HOMESHELF_*` variables."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

from homeshelf import ip
from homeshelf.config import addresses, values
from homeshelf.config.addresses import DynamoDBAt, Mailbox, MailServer, SqliteAt
from homeshelf.config.limits import LimitSettings
from homeshelf.config.values import BadValue, Setting
from homeshelf.languages import Language


class BadSetting(Exception):
    """A variable has a wrong value; the text is one sentence that says what is right."""


@dataclass(frozen=True)
class Settings(LimitSettings):
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
    secret_before: Annotated[
        bytes | None,
        Setting(
            "HOMESHELF_SECRET_BEFORE",
            None,
            values.secret,
            "Another one that counts beside it, while HOMESHELF_SECRET is replaced.",
            needs=("HOMESHELF_SECRET",),
        ),
    ] = field(repr=False)
    smtp_url: Annotated[
        MailServer | None,
        Setting(
            "HOMESHELF_SMTP_URL",
            None,
            addresses.mail_server,
            "The server that sends mail, such as `smtps://user:password@mail.example`.",
            needs=("HOMESHELF_MAIL_FROM", "HOMESHELF_PUBLIC_URL"),
        ),
    ] = field(repr=False)
    mail_from: Annotated[
        Mailbox | None,
        Setting(
            "HOMESHELF_MAIL_FROM",
            None,
            addresses.mailbox,
            "Whom mail comes from, such as `Homeshelf <shelf@example.org>`.",
            needs=("HOMESHELF_SMTP_URL",),
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
            needs=("HOMESHELF_OIDC_ISSUER",),
        ),
    ]
    oidc_client_id: Annotated[
        str | None,
        Setting(
            "HOMESHELF_OIDC_CLIENT_ID",
            None,
            values.word,
            "What the provider calls Homeshelf, where that is not the audience.",
            needs=("HOMESHELF_OIDC_ISSUER",),
        ),
    ]
    oidc_client_secret: Annotated[
        str | None,
        Setting(
            "HOMESHELF_OIDC_CLIENT_SECRET",
            None,
            values.word,
            "What proves to the provider that it is Homeshelf that asks, if it wants proof.",
            needs=("HOMESHELF_OIDC_ISSUER",),
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
    sign_in_link_minutes: Annotated[
        int,
        Setting(
            "HOMESHELF_SIGN_IN_LINK_MINUTES",
            "60",
            values.count,
            "For how many minutes a link signs a child's device in.",
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
    language: Annotated[
        Language,
        Setting(
            "HOMESHELF_LANGUAGE",
            "en",
            values.language,
            "What is spoken to those who neither chose a language nor have a browser that asks "
            "for one of these: `en`, `de`, `es`, `fr`, `sv` or `ar`.",
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
            needs=("HOMESHELF_PUBLIC_URL",),
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


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings of an environment, such as `os.environ`; an empty variable counts as unset."""
    read: dict[str, Any] = {}
    for name, setting in declared().items():
        default = setting.default and setting.default.format_map(read)
        text = environment.get(setting.variable) or default
        try:
            read[name] = None if text is None else setting.read(text)
        except BadValue as wrong:
            raise BadSetting(f"{setting.variable} {wrong}") from None
    if read["oidc_issuer"] and not read["oidc_audience"]:
        raise BadSetting("HOMESHELF_OIDC_ISSUER needs HOMESHELF_OIDC_AUDIENCE as well.")
    return Settings(**read)


def declared() -> dict[str, Setting]:
    """Every setting by the name of its field, in order: the limits come last."""
    hints = get_type_hints(Settings, include_extras=True)
    limits = [name for name in hints if name in LimitSettings.__annotations__]
    ordered = [name for name in hints if name not in limits] + limits
    return {name: hints[name].__metadata__[0] for name in ordered}


DEFAULTS = read_settings({})
