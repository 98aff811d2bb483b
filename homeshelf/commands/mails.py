"""Whether mail can be sent."""

from homeshelf.config import Settings
from homeshelf.outbox.channel import ServerAway
from homeshelf.outbox.channels.mail import channel_of, missing
from homeshelf.outbox.channels.mail.server import connected, introduced_as


async def mail_finding(settings: Settings) -> tuple[str, bool]:
    """A sentence about the mail server, and whether all is well with it."""
    server = settings.smtp_url
    if server is None:
        return "none is sent: there is no mail server, and links are shown on screen.", True
    mail = channel_of(settings)
    if mail is None:
        return f"none is sent until {' and '.join(missing(settings))} is set as well.", False
    at = f"{server.host}:{server.port}"
    try:
        async with connected(server, introduced_as(mail.home)):
            pass
    except ServerAway as away:
        return f"{at} sends nothing for us: {away}", False
    return f"{at} sends it, from {mail.sender.address}.", True
