"""A letter as it goes over the wire: headers, a text and an HTML part."""

import re
from dataclasses import dataclass, replace
from email.header import Header
from email.headerregistry import Address, BaseHeader, HeaderRegistry, UniqueUnstructuredHeader
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8, EmailPolicy, Policy
from email.utils import format_datetime
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from homeshelf import clock
from homeshelf.mail.harmless import harmless
from homeshelf.mail.model import Letter, Office, Words

_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?")


class NoSuchAddress(Exception):
    """No mail can be sent to what somebody gave as their address."""


@dataclass(frozen=True)
class Mail:
    """What a mail server is given."""

    sender: str
    to: str
    content: bytes

    @property
    def needs_utf8(self) -> bool:
        return not self.to.isascii()


def mail_of(letter: Letter, words: Words, office: Office) -> Mail:
    """The same letter has the same Message-ID, however often it is tried."""
    words = _cleaned(words)
    to = _recipient(words)
    message = EmailMessage(policy=_policy(SMTP if to.addr_spec.isascii() else SMTPUTF8))
    sender = office.sender
    name, _, host = sender.address.rpartition("@")
    message["From"] = Address(sender.name, name, host)
    message["To"] = to
    message["Subject"] = words.subject
    message["Date"] = format_datetime(clock.now())
    message["Message-ID"] = f"<{letter.letter_id}@{host}>"
    message["Auto-Submitted"] = "auto-generated"
    if words.unsubscribe:
        message["List-Unsubscribe"] = f"<{words.unsubscribe}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    text, html = (_rendered(f"letter.{kind}", words, office.home) for kind in ("txt", "html"))
    message.set_content(text, cte="quoted-printable")
    message.add_alternative(html, subtype="html", cte="quoted-printable")
    return Mail(sender.address, to.addr_spec, message.as_bytes())


class _AsItIs(UniqueUnstructuredHeader, BaseHeader):  # type: ignore[misc]  # typeshed's counts differ
    """A web address: where it is long, the library would encode it like words."""

    def fold(self, *, policy: Policy) -> str:
        return f"{self.name}: {self}{policy.linesep}"


class _Subject(UniqueUnstructuredHeader, BaseHeader):  # type: ignore[misc]  # typeshed's counts differ
    """Folded by the older part of the library: the newer one loses spaces of a long one."""

    def fold(self, *, policy: Policy) -> str:
        folded = Header(str(self), header_name=self.name).encode(linesep=policy.linesep)
        return f"{self.name}: {folded}{policy.linesep}"


def _policy(usual: "EmailPolicy[EmailMessage]") -> "EmailPolicy[EmailMessage]":
    headers = HeaderRegistry()
    headers.map_to_type("list-unsubscribe", _AsItIs)
    headers.map_to_type("subject", _Subject)
    return usual.clone(header_factory=headers)


def _recipient(words: Words) -> Address:
    """Whatever stands before the @ is quoted where it has to be; a host is a host."""
    name, _, host = words.to.rpartition("@")
    try:
        host = host if host.isascii() else host.encode("idna").decode()
        if _HOST.fullmatch(host):
            return Address(words.name, name, host)
    except ValueError:
        pass
    raise NoSuchAddress


def _cleaned(words: Words) -> Words:
    """Names are people's own words: none of them begins a line or a header, or is a link."""
    return replace(
        words,
        name=harmless(words.name),
        subject=harmless(words.subject),
        before=tuple(harmless(line) for line in words.before),
        after=tuple(harmless(line) for line in words.after),
    )


def _rendered(name: str, words: Words, home: str) -> str:
    return _templates().get_template(name).render(words=words, home=home)


@cache
def _templates() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
