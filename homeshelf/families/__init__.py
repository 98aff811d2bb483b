"""Families, their members, and the invitations that bring people in."""

from functools import partial

from homeshelf.families import (
    api,
    children_api,
    children_pages,
    link_pages,
    messages,
    pages,
    store,
)
from homeshelf.families.memberships import Memberships
from homeshelf.outbox.news import TELL
from homeshelf.web.services import Slice

SLICE = Slice(
    name="families",
    api=[api.router, children_api.router],
    pages=[pages.router, children_pages.router, link_pages.router],
    todos=lambda services: {
        store.INVITER_GONE: store.revoke_theirs,
        TELL: partial(messages.spread, services),
    },
    letters={
        "invitation": messages.write_invitation,
        "child_address": messages.write_child_address,
        "news": messages.write_news,
        "daily": messages.write_daily,
    },
    families=Memberships(),
)
