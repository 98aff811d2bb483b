"""Families, their members, and the invitations that bring people in."""

from homeshelf.families import (
    api,
    deciding,
    events,
    invitation_pages,
    messages,
    news,
    pages,
)
from homeshelf.families.memberships import Memberships
from homeshelf.outbox.news import TELL
from homeshelf.web.slice import Slice

SLICE = Slice(
    name="families",
    api=[api.router, events.router],
    pages=[pages.router, invitation_pages.router],
    todos=lambda services: {
        deciding.KIND: deciding.revoke_theirs,
        TELL: news.news_handler(services),
    },
    letters={
        "invitation": messages.write_invitation,
        "news": news.write_news,
        "daily": news.write_daily,
    },
    families=Memberships(),
)
