"""Whether mail can be sent."""

from homeshelf.config import Settings
from homeshelf.mail.server import ServerAway, connected, introduced_as
from homeshelf.mail.store import missing, office_of


async def mail_finding(settings: Settings) -> tuple[str, bool]:
    """A sentence about the mail server, and whether all is well with it."""
    server = settings.smtp_url
    if server is None:
        return "none is sent: there is no mail server, and links are shown on screen.", True
    office = office_of(settings)
    if office is None:
        return f"none is sent until {' and '.join(missing(settings))} is set as well.", False
    at = f"{server.host}:{server.port}"
    try:
        async with connected(server, introduced_as(office.home)):
            pass
    except ServerAway as away:
        return f"{at} sends nothing for us: {away}", False
    return f"{at} sends it, from {office.sender.address}.", True
