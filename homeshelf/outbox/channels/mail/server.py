"""Talk to a mail server until it has taken a mail."""

import ipaddress
import re
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

from aiosmtplib import SMTP
from aiosmtplib.errors import (
    SMTPAuthenticationError,
    SMTPConnectError,
    SMTPException,
    SMTPReadTimeoutError,
    SMTPRecipientRefused,
    SMTPResponseException,
)

from homeshelf.config import MailServer
from homeshelf.outbox.channel import LastMoment, NoAnswer, NotNow, Refused, ServerAway, Undelivered
from homeshelf.outbox.channels.mail.email import Email

PATIENCE_SECONDS = 30.0
"""Per step, connecting included; servers greet strangers slowly to tire spammers."""
LAST_ANSWER_SECONDS = 600.0
"""As RFC 5321 asks: giving up sooner sends mail twice, or not at all."""
GOODBYE_SECONDS = 2.0


@asynccontextmanager
async def connected(server: MailServer, own_name: str) -> AsyncIterator[SMTP]:
    client = SMTP(
        hostname=server.host,
        port=server.port,
        local_hostname=own_name,
        use_tls=server.encryption == "tls",
        start_tls=False,
        timeout=PATIENCE_SECONDS,
    )
    try:
        try:
            await _introduce(client, server)
        except (SMTPException, OSError, ValueError) as error:
            raise ServerAway(_in_plain_words(error)) from None
        try:
            yield client
        finally:
            with suppress(SMTPException, OSError):
                await client.quit(timeout=GOODBYE_SECONDS)
    finally:
        client.close()


async def hand_over(client: SMTP, email: Email, last_moment: LastMoment) -> None:
    """Send a mail, calling `last_moment` before its content; returns when the server took it."""
    try:
        await _agree(client, email)
    except SMTPRecipientRefused as error:
        raise _refusal(error.code, error.message) from None
    except SMTPResponseException as error:
        raise ServerAway(_said(error.code, error.message)) from None
    except (SMTPException, OSError) as error:
        raise ServerAway(_in_plain_words(error)) from None
    await _ask_for_data(client)
    try:
        await last_moment()
    except BaseException:
        client.close()  # without the last line the server forgets it all
        raise
    await _send(client, email.content)


def introduced_as(public_url: str) -> str:
    """Return the name of Homeshelf for mail servers: its host, or its address in brackets."""
    host = urlsplit(public_url).hostname or "localhost"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host if host.isascii() else host.encode("idna").decode()
    return f"[IPv6:{address}]" if address.version == 6 else f"[{address}]"


async def _introduce(client: SMTP, server: MailServer) -> None:
    """Encrypt and sign in. On the same machine, certificates are often self-signed."""
    await client.connect()
    await client.ehlo()
    offers_tls = client.supports_extension("starttls")
    if server.encryption == "starttls" and not offers_tls:
        raise ServerAway("it offers no STARTTLS; many servers want smtps:// instead.")
    if server.encryption == "starttls" or (
        server.encryption == "offered" and offers_tls and not server.is_here
    ):
        await client.starttls()
        await client.ehlo()
    if server.user is None or server.password is None:
        return
    if not server.is_here and client.get_transport_info("sslcontext") is None:
        raise ServerAway("it does not encrypt, so the password was not sent to it.")
    if not client.supports_extension("auth"):
        raise ServerAway("it takes no user and no password: leave them out of the address.")
    await client.login(server.user, server.password)


async def _agree(client: SMTP, email: Email) -> None:
    options, encoding = [], "ascii"
    if not email.to.isascii():
        if not client.supports_extension("smtputf8"):
            raise Refused("it knows only addresses of plain letters.")
        options, encoding = ["SMTPUTF8"], "utf-8"
    await client.mail(email.sender, options=options, encoding=encoding)
    try:
        await client.rcpt(email.to, encoding=encoding)
    except ValueError:
        raise Refused("nothing can be sent to this address.") from None


async def _ask_for_data(client: SMTP) -> None:
    try:
        answer = await client.execute_command(b"DATA")
    except (SMTPException, OSError) as error:
        raise ServerAway(_in_plain_words(error)) from None
    if answer.code != 354:
        raise _refusal(answer.code, answer.message)


async def _send(client: SMTP, content: bytes) -> None:
    """Send the content in one write. A server that hangs up without an answer has not taken it."""
    stuffed = re.sub(rb"(?m)^\.", b"..", content)
    protocol = client.protocol
    if protocol is None:
        raise ServerAway("it hung up.")
    try:
        protocol.write(stuffed + b"\r\n.\r\n")
        answer = await protocol.read_response(timeout=LAST_ANSWER_SECONDS)
    except SMTPReadTimeoutError:
        client.close()
        raise NoAnswer("it was given the mail and never answered.") from None
    except SMTPResponseException as error:  # no sentence of SMTP
        raise NoAnswer(_said(error.code, error.message)) from None
    except (SMTPException, OSError) as error:
        raise ServerAway(_in_plain_words(error)) from None
    if answer.code != 250:
        raise _refusal(answer.code, answer.message)


def _refusal(code: int, message: str) -> Undelivered:
    said = _said(code, message)
    if code == 421:
        return ServerAway(said)
    return Refused(said) if 500 <= code < 600 else NotNow(said)


def _in_plain_words(error: BaseException) -> str:
    cause = error.__cause__ if isinstance(error, SMTPConnectError) else None
    match cause or error:
        case SMTPAuthenticationError() as refused:
            return f"it does not accept the user and the password ({refused.code})."
        case SMTPResponseException() as answer:
            return _said(answer.code, answer.message)
        case TimeoutError():
            return "it does not answer in time."
        case ssl.SSLCertVerificationError() as distrust:
            return f"its certificate is not to be trusted: {distrust.verify_message}."
        case ssl.SSLError():
            return "it speaks no TLS at this port: check how the address begins, and the port."
        case socket.gaierror():
            return "there is no machine of this name."
        case SMTPException():
            return "it hung up."
        case OSError() as failed:
            return f"it cannot be reached ({failed.strerror or 'connection lost'})."
    return str(error)


def _said(code: int, message: str) -> str:
    return f"it said {code} {' '.join(message.split())}"[:300]
