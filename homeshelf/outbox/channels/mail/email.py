"""Build a mail from a message: headers, a text and an HTML part."""

import re
import unicodedata
from contextlib import suppress
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
from homeshelf.config import Mailbox
from homeshelf.languages import use_language
from homeshelf.outbox.model import Message, Recipient
from homeshelf.web import template_words

_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?")


@dataclass(frozen=True)
class Email:
    sender: str
    to: str
    content: bytes


def email_of(letter_id: str, message: Message, to: Address, sender: Mailbox, home: str) -> Email:
    """Build the mail; every attempt for a letter has the same Message-ID."""
    # Names are people's own words: they must not begin a line or a header, or be a link.
    message = replace(
        message,
        to=replace(message.to, name=defuse(message.to.name)),
        title=defuse(message.title),
        before=tuple(map(defuse, message.before)),
        after=tuple(map(defuse, message.after)),
    )
    email = EmailMessage(policy=_policy(SMTP if to.addr_spec.isascii() else SMTPUTF8))
    name, _, host = sender.address.rpartition("@")
    email["From"] = Address(sender.name, name, host)
    email["To"] = to
    email["Subject"] = message.title
    email["Date"] = format_datetime(clock.now())
    email["Message-ID"] = f"<{letter_id}@{host}>"
    email["Auto-Submitted"] = "auto-generated"
    if message.stop_link:
        email["List-Unsubscribe"] = f"<{message.stop_link}>"
        email["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    with use_language(message.to.language):
        text, html = (
            _templates().get_template(f"letter.{kind}").render(message=message, home=home)
            for kind in ("txt", "html")
        )
    email.set_content(text, cte="quoted-printable")
    email.add_alternative(html, subtype="html", cte="quoted-printable")
    email["Content-Language"] = message.to.language.code
    return Email(sender.address, to.addr_spec, email.as_bytes())


class _UnfoldedHeader(UniqueUnstructuredHeader, BaseHeader):  # type: ignore[misc]  # typeshed's counts differ
    """A URL header, which the library would encode if it is long."""

    def fold(self, *, policy: Policy) -> str:
        return f"{self.name}: {self}{policy.linesep}"


class _Subject(UniqueUnstructuredHeader, BaseHeader):  # type: ignore[misc]  # typeshed's counts differ
    """A subject folded by `email.header`: the newer code loses spaces of long subjects."""

    def fold(self, *, policy: Policy) -> str:
        folded = Header(str(self), header_name=self.name).encode(linesep=policy.linesep)
        return f"{self.name}: {folded}{policy.linesep}"


def _policy(usual: "EmailPolicy[EmailMessage]") -> "EmailPolicy[EmailMessage]":
    headers = HeaderRegistry()
    headers.map_to_type("list-unsubscribe", _UnfoldedHeader)
    headers.map_to_type("subject", _Subject)
    return usual.clone(header_factory=headers)


def address_of(recipient: Recipient) -> Address | None:
    name, _, host = recipient.email.rpartition("@")
    with suppress(ValueError):
        host = host if host.isascii() else host.encode("idna").decode()
        if _HOST.fullmatch(host):
            return Address(defuse(recipient.name), name, host)
    return None


@cache
def _templates() -> Environment:
    templates = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    template_words.install(templates)
    return templates


BREAK = "\N{ZERO WIDTH NON-JOINER}"


def defuse(text: str) -> str:
    """Put people's own words on one line, without invisible characters and links.

    Mail programs turn what looks like a URL into a link. A zero width non-joiner before the dot or
    the colon prevents that, and browsers refuse a domain with one.
    """
    line = " ".join("".join(map(_visible, text)).split())
    return _LINKED.sub(BREAK, _NEEDLESS_JOINERS.sub("", line))


def _visible(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    return "" if unicodedata.category(character) in ("Cf", "Cs") else " "


_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
_NEEDLESS_JOINERS = re.compile(rf"(?<![^\x00-\x7f])[{_JOINERS}]|[{_JOINERS}](?![^\x00-\x7f])")
"""Joiners next to ASCII, which hide text; Persian words and family emoji need the others."""
_DOTS = ".\u2024\u3002\uff0e\uff61"
"""The characters that browsers take for the dot of a domain."""
_ENCLOSED = "\u2460-\u24ff\U0001f100-\U0001f1ff"
_LINKED = re.compile(
    rf"(?<=[^\s{_DOTS}])(?=[{_DOTS}][{_JOINERS}]*(?:[^\W\d_][\w-]|[{_ENCLOSED}]))"  # evil.example
    r"|(?<=\S)(?=@\S)"  # eve@evil
    r"|(?<=[A-Za-z])(?=:[^\s:])"  # https://evil, mailto:eve
    r"|(?<=/)(?=/\S)|(?<=\\)(?=\\\S)"  # //evil, \\evil\share
)
"""The places that get a joiner; the dots of `2.5kg` and `J.R.R. Tolkien` make no link."""
