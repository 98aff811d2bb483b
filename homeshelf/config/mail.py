"""Where mail goes out and whom it comes from, as settings may name them."""

import ipaddress
import re
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote, urlsplit

from homeshelf.config.addresses import BadAddress

Encryption = Literal["tls", "starttls", "offered"]


@dataclass(frozen=True)
class MailServer:
    host: str
    port: int
    encryption: Encryption
    """From the first byte, by STARTTLS, or by STARTTLS where the server offers it."""
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    @property
    def is_here(self) -> bool:
        """Whether it is on this machine, so that nobody can listen in."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


@dataclass(frozen=True)
class Mailbox:
    address: str
    name: str = ""


def mail_server(text: str) -> MailServer:
    try:
        url = urlsplit(text)
        encryption, usual_port = _SCHEMES[url.scheme]
        port, host = url.port or usual_port, url.hostname
    except (ValueError, KeyError):
        raise BadAddress(_NO_SERVER) from None
    beyond = url.path.strip("/") or url.query or url.fragment
    if not host or beyond or re.search(r"\s", text) or (url.username and not url.password):
        raise BadAddress(_NO_SERVER)
    user, password = (unquote(part) if part else None for part in (url.username, url.password))
    return MailServer(host, port, encryption, user, password)


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
        raise BadAddress(
            "must be an address such as shelf@example.org, "
            "or a name with one, such as Homeshelf <shelf@example.org>."
        )
    name, within, alone = found.groups()
    return Mailbox(within or alone, (name or "").strip(' "'))


_ADDRESS = r"[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9.-]+"
_MAILBOX = re.compile(rf"(?:([^<>\x00-\x1f\x7f]*)<({_ADDRESS})>|({_ADDRESS}))", re.ASCII)
