"""Parsers for settings that are addresses."""

import ipaddress
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from homeshelf.config.values import BadValue

Prefixes = Literal["begins_with", "range"]
"""The key condition that asks a DynamoDB server for a prefix."""


@dataclass(frozen=True)
class SqliteAt:
    path: Path


@dataclass(frozen=True)
class DynamoDBAt:
    region: str
    endpoint: str | None = None
    prefix: str = ""
    prefixes: Prefixes = "begins_with"


def folder(text: str) -> Path:
    return Path(text).expanduser()


def web_address(text: str) -> str:
    return _origin(text, "must be a web address without a path, such as https://shelf.example.")


def issuer(text: str) -> str:
    """Parse the address of an identity provider, without a closing slash."""
    url = _split_web_address(text)
    if url is None:
        raise BadValue("must be a web address, such as https://id.example/realms/home.")
    if url.username is not None or url.query or url.fragment:
        raise BadValue("must be a web address without a user, a query and a fragment.")
    return text.rstrip("/")


def database(text: str) -> SqliteAt | DynamoDBAt:
    scheme, colon, _ = text.partition(":")
    match scheme if colon else "":
        case "sqlite":
            return _sqlite(text)
        case "dynamodb":
            return _dynamodb(text)
    raise BadValue(
        "must start with sqlite:/// or dynamodb://, such as sqlite:///data/homeshelf.db "
        "or dynamodb://eu-central-1."
    )


def _sqlite(text: str) -> SqliteAt:
    start = "sqlite:///"
    path = text.removeprefix(start)
    if not text.startswith(start) or not path:
        raise BadValue(
            "must name a file after sqlite:///, such as sqlite:///homeshelf.db "
            "or sqlite:////var/lib/homeshelf/homeshelf.db."
        )
    return SqliteAt(Path(path).expanduser())


def _dynamodb(text: str) -> DynamoDBAt:
    url = _split_url(text)
    if url is None or not re.fullmatch(r"[a-z0-9-]+", url.netloc) or url.path or url.fragment:
        raise BadValue("must name a region after dynamodb://, such as dynamodb://eu-central-1.")
    options = parse_qsl(url.query, keep_blank_values=True)
    for name, _ in options:
        if name not in ("endpoint", "prefix", "prefixes"):
            raise BadValue(
                f"has the unknown option {name}: only endpoint, prefix and prefixes are known."
            )
    if len(options) != len(dict(options)):
        raise BadValue("has the same option twice: give each once.")
    chosen = dict(options)
    endpoint = chosen.get("endpoint")
    return DynamoDBAt(
        url.netloc,
        None if endpoint is None else _origin(endpoint, _NO_ENDPOINT),
        _prefix(chosen.get("prefix")),
        _prefixes(chosen.get("prefixes")),
    )


_NO_ENDPOINT = "has an endpoint that is not a web address: write it like http://localhost:8000."


def _prefix(text: str | None) -> str:
    # A table name has at most 255 characters, including the longest of our names.
    if re.fullmatch(r"[A-Za-z0-9_.-]{0,200}", text or ""):
        return text or ""
    raise BadValue(
        "has a prefix that table names cannot start with: "
        "use at most 200 letters from A to Z, digits, dots, dashes and underscores."
    )


def _prefixes(text: str | None) -> Prefixes:
    if text not in (None, "begins_with", "range"):
        raise BadValue("has an unknown value for prefixes: write range or begins_with.")
    return "range" if text == "range" else "begins_with"


def _origin(text: str, otherwise: str) -> str:
    """Parse an http or https address that has no path."""
    url = _split_web_address(text)
    beyond = url and (url.path not in ("", "/") or url.query or url.fragment)
    if url is None or beyond or url.username is not None:
        raise BadValue(otherwise)
    return f"{url.scheme}://{url.netloc}"


def browser_origin(address: str) -> str:
    """Return the origin of a web address as browsers send it: lower case, no default port."""
    url = urlsplit(address)
    host = ascii_host(url.hostname or "")
    port = "" if url.port in (None, _USUAL_PORTS[url.scheme]) else f":{url.port}"
    return f"{url.scheme}://[{host}]{port}" if ":" in host else f"{url.scheme}://{host}{port}"


_USUAL_PORTS = {"http": 80, "https": 443}


def ascii_host(name: str) -> str:
    """Return a host name as browsers send it, with IDNA encoding."""
    try:
        return name.encode("idna").decode()
    except UnicodeError:
        return name


def _split_web_address(text: str) -> SplitResult | None:
    url = None if re.search(r"\s", text) else _split_url(text)
    return url if url and url.scheme in ("http", "https") and url.hostname else None


def _split_url(text: str) -> SplitResult | None:
    try:
        url = urlsplit(text)
        _ = url.port  # raises for a bad port, which urlsplit accepts
    except ValueError:
        return None
    return url


Encryption = Literal["tls", "starttls", "offered"]


@dataclass(frozen=True)
class MailServer:
    host: str
    port: int
    encryption: Encryption
    """TLS from the first byte, by STARTTLS, or by STARTTLS if the server offers it."""
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    @property
    def is_here(self) -> bool:
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


@dataclass(frozen=True)
class Mailbox:
    address: str
    name: str = ""


def mail_server(text: str) -> MailServer:
    url = None if re.search(r"\s", text) else _split_url(text)
    if url is None or url.scheme not in _SCHEMES or not url.hostname:
        raise BadValue(_NO_SERVER)
    if url.path.strip("/") or url.query or url.fragment or (url.username and not url.password):
        raise BadValue(_NO_SERVER)
    encryption, usual_port = _SCHEMES[url.scheme]
    user, password = (unquote(part) if part else None for part in (url.username, url.password))
    return MailServer(url.hostname, url.port or usual_port, encryption, user, password)


_SCHEMES: dict[str, tuple[Encryption, int]] = {
    "smtps": ("tls", 465),
    "smtp+starttls": ("starttls", 587),
    "smtp": ("offered", 25),
}
_NO_SERVER = (
    "must look like smtps://user:password@mail.example, smtp+starttls://... or "
    "smtp://localhost:25; write a special character of the password as %40 and the like."
)


def mailbox(text: str) -> Mailbox:
    found = _MAILBOX.fullmatch(text.strip())
    if found is None:
        raise BadValue(
            "must be an address such as shelf@example.org, "
            "or a name with one, such as Homeshelf <shelf@example.org>."
        )
    name, within, alone = found.groups()
    return Mailbox(within or alone, (name or "").strip(' "'))


_ADDRESS = r"[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9.-]+"
_MAILBOX = re.compile(rf"(?:([^<>\x00-\x1f\x7f]*)<({_ADDRESS})>|({_ADDRESS}))", re.ASCII)
