"""Send a mail to a mail server."""

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
from homeshelf.outbox.channel import (
    BeforeHandover,
    NoResponse,
    Refused,
    ServerUnavailable,
    TemporaryFailure,
    Undelivered,
)
from homeshelf.outbox.channels.mail.email import Email

STEP_TIMEOUT_SECONDS = 30.0
"""The timeout of each step: some servers greet slowly to deter spammers."""
LAST_RESPONSE_SECONDS = 600.0
"""The timeout that RFC 5321 requires: giving up sooner sends mail twice or loses it."""
GOODBYE_SECONDS = 2.0


@asynccontextmanager
async def connect(server: MailServer, own_name: str) -> AsyncIterator[SMTP]:
    client = SMTP(
        hostname=server.host,
        port=server.port,
        local_hostname=own_name,
        use_tls=server.encryption == "tls",
        start_tls=False,
        timeout=STEP_TIMEOUT_SECONDS,
    )
    try:
        try:
            await _open_session(client, server)
        except (SMTPException, OSError, ValueError) as error:
            raise ServerUnavailable(_describe(error)) from None
        try:
            yield client
        finally:
            with suppress(SMTPException, OSError):
                await client.quit(timeout=GOODBYE_SECONDS)
    finally:
        client.close()


async def hand_over(client: SMTP, email: Email, before_handover: BeforeHandover) -> None:
    try:
        await _send_envelope(client, email)
    except SMTPRecipientRefused as error:
        raise _refusal(error.code, error.message) from None
    except SMTPResponseException as error:
        raise ServerUnavailable(_quote_response(error.code, error.message)) from None
    except (SMTPException, OSError) as error:
        raise ServerUnavailable(_describe(error)) from None
    await _request_data(client)
    try:
        await before_handover()
    except BaseException:
        client.close()  # without the last line the server discards the mail
        raise
    await _send(client, email.content)


def helo_name(public_url: str) -> str:
    """Return the own name for mail servers: the host, or the IP address in brackets."""
    host = urlsplit(public_url).hostname or "localhost"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host if host.isascii() else host.encode("idna").decode()
    return f"[IPv6:{address}]" if address.version == 6 else f"[{address}]"


async def _open_session(client: SMTP, server: MailServer) -> None:
    """Encrypt and sign in; a server on the same machine need not encrypt."""
    await client.connect()
    await client.ehlo()
    offers_tls = client.supports_extension("starttls")
    if server.encryption == "starttls" and not offers_tls:
        raise ServerUnavailable("it offers no STARTTLS; many servers want smtps:// instead.")
    if server.encryption == "starttls" or (
        server.encryption == "offered" and offers_tls and not server.is_here
    ):
        await client.starttls()
        await client.ehlo()
    if server.user is None or server.password is None:
        return
    if not server.is_here and client.get_transport_info("sslcontext") is None:
        raise ServerUnavailable("it does not encrypt, so the password was not sent to it.")
    if not client.supports_extension("auth"):
        raise ServerUnavailable("it takes no user and no password: leave them out of the address.")
    await client.login(server.user, server.password)


async def _send_envelope(client: SMTP, email: Email) -> None:
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


async def _request_data(client: SMTP) -> None:
    try:
        answer = await client.execute_command(b"DATA")
    except (SMTPException, OSError) as error:
        raise ServerUnavailable(_describe(error)) from None
    if answer.code != 354:
        raise _refusal(answer.code, answer.message)


async def _send(client: SMTP, content: bytes) -> None:
    """Send the content in one write; a server that closes without a response has not taken it."""
    stuffed = re.sub(rb"(?m)^\.", b"..", content)
    protocol = client.protocol
    if protocol is None:
        raise ServerUnavailable("it hung up.")
    try:
        protocol.write(stuffed + b"\r\n.\r\n")
        answer = await protocol.read_response(timeout=LAST_RESPONSE_SECONDS)
    except SMTPReadTimeoutError:
        client.close()
        raise NoResponse("it was given the mail and never answered.") from None
    except SMTPResponseException as error:  # no valid SMTP response
        raise NoResponse(_quote_response(error.code, error.message)) from None
    except (SMTPException, OSError) as error:
        raise ServerUnavailable(_describe(error)) from None
    if answer.code != 250:
        raise _refusal(answer.code, answer.message)


def _refusal(code: int, message: str) -> Undelivered:
    said = _quote_response(code, message)
    if code == 421:
        return ServerUnavailable(said)
    return Refused(said) if 500 <= code < 600 else TemporaryFailure(said)


def _describe(error: BaseException) -> str:
    cause = error.__cause__ if isinstance(error, SMTPConnectError) else None
    match cause or error:
        case SMTPAuthenticationError() as refused:
            return f"it does not accept the user and the password ({refused.code})."
        case SMTPResponseException() as answer:
            return _quote_response(answer.code, answer.message)
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


def _quote_response(code: int, message: str) -> str:
    return f"it said {code} {' '.join(message.split())}"[:300]
