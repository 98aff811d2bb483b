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
        "./data", addresses.folder, "The folder that holds what the household stores."
    )
    database: SqliteAt | DynamoDBAt = setting(
        "sqlite:///{data_dir}/homeshelf.db",
        addresses.database,
        "Where the data lives: `sqlite:///` and a file, "
        "or `dynamodb://<region>?endpoint=<url>&prefix=<text>&prefixes=range`.",
    )
    public_url: str | None = setting(
        None,
        addresses.web_address,
        "The address that links and tags carry, such as `https://shelf.example`.",
    )
    secret: bytes | None = setting(
        None,
        values.secret,
        "What signs tokens, at least 32 characters; unset, one is made and kept with the data.",
        secret=True,
    )
    secret_before: bytes | None = setting(
        None,
        values.secret,
        "Another one that counts beside it, while HOMESHELF_SECRET is replaced.",
        needs=("HOMESHELF_SECRET",),
        secret=True,
    )
    smtp_url: MailServer | None = setting(
        None,
        addresses.mail_server,
        "The server that sends mail, such as `smtps://user:password@mail.example`.",
        needs=("HOMESHELF_MAIL_FROM", "HOMESHELF_PUBLIC_URL"),
        secret=True,
    )
    mail_from: Mailbox | None = setting(
        None,
        addresses.mailbox,
        "Whom mail comes from, such as `Homeshelf <shelf@example.org>`.",
        needs=("HOMESHELF_SMTP_URL",),
    )
    oidc_issuer: str | None = setting(
        None,
        addresses.issuer,
        "The identity provider that people sign in with, such as `https://id.example`.",
    )
    oidc_audience: str | None = setting(
        None,
        values.word,
        "Whom the provider's tokens must be for; needed with an issuer.",
        needs=("HOMESHELF_OIDC_ISSUER",),
    )
    oidc_client_id: str | None = setting(
        None,
        values.word,
        "What the provider calls Homeshelf, where that is not the audience.",
        needs=("HOMESHELF_OIDC_ISSUER",),
    )
    oidc_client_secret: str | None = setting(
        None,
        values.word,
        "What proves to the provider that it is Homeshelf that asks, if it wants proof.",
        needs=("HOMESHELF_OIDC_ISSUER",),
        secret=True,
    )
    oidc_session_days: int = setting(
        "7",
        values.count,
        "For how many days somebody stays signed in whom the provider vouched for.",
    )
    sign_in_link_minutes: int = setting(
        "60", values.count, "For how many minutes a link signs a child's device in."
    )
    signup: Literal["open", "invited", "closed"] = setting(
        "open",
        values.one_of("open", "invited", "closed"),
        "Who may sign up: `open` (anyone), `invited` (those with an invitation) or `closed`.",
    )
    shares: Literal["anyone", "members"] = setting(
        "anyone",
        values.one_of("anyone", "members"),
        "Who may make shared lists: `anyone`, or `members` who are signed in.",
    )
    language: Language = setting(
        "en",
        values.language,
        "What is spoken to those who neither chose a language nor have a browser that asks "
        "for one of these: `en`, `de`, `es`, `fr`, `sv` or `ar`.",
    )
    trusted_proxies: tuple[ip.Network, ...] = setting(
        "none",
        values.networks,
        "The proxies whose forwarding headers count, such as `127.0.0.1, 192.168.1.5`.",
    )
    hosts: tuple[str, ...] = setting(
        "none",
        values.hosts,
        "Other names that Homeshelf is asked for by, such as `shelf.local`, where "
        "HOMESHELF_PUBLIC_URL is set.",
        needs=("HOMESHELF_PUBLIC_URL",),
    )
    metrics: Literal["off", "local", "anyone"] = setting(
        "off",
        values.one_of("off", "local", "anyone"),
        "Who may read `/metrics`: nobody, this machine, or anyone.",
    )
    design: Literal["off", "on"] = setting(
        "off",
        values.one_of("off", "on"),
        "Whether `/design` shows the parts that pages are made of: `off`, or `on` "
        "for those who build pages.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = setting(
        "info",
        values.one_of("debug", "info", "warning", "error"),
        "How much is logged: `debug`, `info` (a line a request), `warning` or `error`.",
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
