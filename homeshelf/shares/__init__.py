"""Lists that anyone can be handed by a short id."""

from homeshelf.shares import api, pages
from homeshelf.shares.keeping import forget_keeper
from homeshelf.shares.todos import HANDLERS
from homeshelf.web.slice import Slice

SLICE = Slice(
    name="shares",
    api=[api.router],
    pages=[pages.router],
    todos=lambda _: HANDLERS,
    person_gone=forget_keeper,
)
