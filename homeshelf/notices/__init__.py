"""Notices: what runs low, told once."""

from homeshelf.notices import api, pages
from homeshelf.notices.model import OpenNotice
from homeshelf.notices.store import unresolved
from homeshelf.web.services import Slice

SLICE = Slice(
    name="notices",
    api=[api.router],
    pages=[pages.router],
    counts={"unresolvedNotifications": unresolved},
    goes_with_family=[OpenNotice.where],
)
