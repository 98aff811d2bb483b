"""Families, their members, and the invitations that bring people in."""

from homeshelf.families import (
    api,
    deciding,
    events,
    invitation_pages,
    messages,
    news_letters,
    pages,
)
from homeshelf.families.memberships import Memberships
from homeshelf.families.news import news_handler
from homeshelf.outbox.news import TELL
from homeshelf.web.slice import Slice

SLICE = Slice(
    name="families",
    api=[api.router, events.router],
    pages=[pages.router, invitation_pages.router],
    todos=lambda services: {
        deciding.KIND: deciding.revoke_theirs,
        TELL: news_handler(services),
    },
    letters={
        "invitation": messages.write_invitation,
        "news": news_letters.write_news,
        "daily": news_letters.write_daily,
    },
    families=Memberships(),
)
