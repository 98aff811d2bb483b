"""The settings, read once from `HOMESHELF_*` variables."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from homeshelf import ip
from homeshelf.config import addresses, values
from homeshelf.config.addresses import DynamoDBAt, Mailbox, MailServer, SqliteAt
from homeshelf.config.limits import LimitSettings
from homeshelf.config.values import BadValue, Setting, setting
from homeshelf.languages import Language

PREFIX = "HOMESHELF_"


class BadSetting(Exception):
    """A variable has a wrong value; the text is a sentence that says what is right."""


@dataclass(frozen=True)
class Settings(LimitSettings):
    data_dir: Path = setting(
        "./data", addresses.folder, "The folder for the data of the household."
    )
    database: SqliteAt | DynamoDBAt = setting(
        "sqlite:///{data_dir}/homeshelf.db",
        addresses.database,
        "The database: `sqlite:///` and a file, or "
        "`dynamodb://<region>?endpoint=<url>&prefix=<text>&prefixes=range`.",
    )
    public_url: str | None = setting(
        None,
        addresses.web_address,
        "The address in links and tags, such as `https://shelf.example`.",
    )
    secret: bytes | None = setting(
        None,
        values.secret,
        "The key that signs tokens, at least 32 characters. If unset, one is generated and "
        "stored with the data.",
        secret=True,
    )
    secret_before: bytes | None = setting(
        None,
        values.secret,
        "The previous key, which stays valid while HOMESHELF_SECRET is replaced.",
        needs=("HOMESHELF_SECRET",),
        secret=True,
    )
    smtp_url: MailServer | None = setting(
        None,
        addresses.mail_server,
        "The mail server, such as `smtps://user:password@mail.example`.",
        needs=("HOMESHELF_MAIL_FROM", "HOMESHELF_PUBLIC_URL"),
        secret=True,
    )
    mail_from: Mailbox | None = setting(
        None,
        addresses.mailbox,
        "The sender of mail, such as `Homeshelf <shelf@example.org>`.",
        needs=("HOMESHELF_SMTP_URL",),
    )
    oidc_issuer: str | None = setting(
        None, addresses.issuer, "The identity provider for sign-in, such as `https://id.example`."
    )
    oidc_audience: str | None = setting(
        None,
        values.word,
        "The required audience of the provider's tokens; needed with an issuer.",
        needs=("HOMESHELF_OIDC_ISSUER",),
    )
    oidc_client_id: str | None = setting(
        None,
        values.word,
        "The client id at the provider, if it differs from the audience.",
        needs=("HOMESHELF_OIDC_ISSUER",),
    )
    oidc_client_secret: str | None = setting(
        None,
        values.word,
        "The client secret at the provider, if it requires one.",
        needs=("HOMESHELF_OIDC_ISSUER",),
        secret=True,
    )
    oidc_session_days: int = setting(
        "7", values.count, "The days after which a person has to sign in with the provider again."
    )
    sign_in_link_minutes: int = setting(
        "60", values.count, "The minutes for which a child's sign-in link is valid."
    )
    signup: Literal["open", "invited", "closed"] = setting(
        "open",
        values.one_of("open", "invited", "closed"),
        "Who may sign up: `open` (anyone), `invited` (people with an invitation) or `closed` "
        "(no one).",
    )
    shares: Literal["anyone", "members"] = setting(
        "anyone",
        values.one_of("anyone", "members"),
        "Who may create shared lists: `anyone`, or `members` who are signed in.",
    )
    language: Language = setting(
        "en",
        values.language,
        "The language for people who have not chosen one and whose browser requests no "
        "supported language: `en`, `de`, `es`, `fr`, `sv` or `ar`.",
    )
    trusted_proxies: tuple[ip.Network, ...] = setting(
        "none",
        values.networks,
        "The proxies whose forwarding headers are trusted, such as `127.0.0.1, 192.168.1.5`.",
    )
    hosts: tuple[str, ...] = setting(
        "none",
        values.hosts,
        "Additional host names to serve, such as `shelf.local`, if HOMESHELF_PUBLIC_URL is set.",
        needs=("HOMESHELF_PUBLIC_URL",),
    )
    metrics: Literal["off", "local", "anyone"] = setting(
        "off",
        values.one_of("off", "local", "anyone"),
        "Who may read `/metrics`: no one, this machine, or anyone.",
    )
    design: Literal["off", "on"] = setting(
        "off",
        values.one_of("off", "on"),
        "Whether `/design` shows the components of pages to developers: `off` or `on`.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = setting(
        "info",
        values.one_of("debug", "info", "warning", "error"),
        "The log level: `debug`, `info` (one line per request), `warning` or `error`.",
    )


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Read the settings from variables; an empty one counts as unset."""
    read: dict[str, Any] = {}
    for name, each in declared_settings().items():
        default = each.default and each.default.format_map(read)
        text = environment.get(each.variable) or default
        try:
            read[name] = None if text is None else each.read(text)
        except BadValue as wrong:
            raise BadSetting(f"{each.variable} {wrong}") from None
    if read["oidc_issuer"] and not read["oidc_audience"]:
        raise BadSetting("HOMESHELF_OIDC_ISSUER needs HOMESHELF_OIDC_AUDIENCE as well.")
    return Settings(**read)


def declared_settings() -> dict[str, Setting]:
    """Return every setting by the name of its field; the limits come last."""
    limits = fields(LimitSettings)
    ordered = [*fields(Settings)[len(limits) :], *limits]
    return {f.name: Setting(PREFIX + f.name.upper(), **f.metadata) for f in ordered}


def find_mistakes(environment: Mapping[str, str]) -> list[str]:
    """Return a sentence for each unknown variable and each setting that lacks one it needs."""
    used = {name for name, text in environment.items() if name.startswith(PREFIX) and text}
    settings = {each.variable: each for each in declared_settings().values()}
    mistakes = [_unknown_mistake(name, list(settings)) for name in sorted(used - settings.keys())]
    for name in sorted(used & settings.keys()):
        missing = [each for each in settings[name].needs if each not in used]
        if missing and environment[name] != settings[name].default:
            mistakes.append(f"{name} needs {' and '.join(missing)} as well.")
    return mistakes


def _unknown_mistake(name: str, known: list[str]) -> str:
    # The common prefix would make any two names similar.
    endings = [each.removeprefix(PREFIX) for each in known]
    if close := get_close_matches(name.removeprefix(PREFIX), endings, n=1):
        return f"{name} is not a setting; did you mean {PREFIX}{close[0]}?"
    return f"{name} is not a setting; docs/configuration.md lists all of them."


DEFAULTS = read_settings({})
