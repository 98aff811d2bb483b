"""Tags that count down stock when tapped."""

from homeshelf.taps import api, pages
from homeshelf.taps.endpoint import install, start
from homeshelf.taps.following import RENAME_TAGS, TagsFollowItem, mend, rename_tags
from homeshelf.taps.model import WeekOfTaps
from homeshelf.web.services import Slice

SLICE = Slice(
    name="taps",
    api=[api.router],
    pages=[pages.router],
    todos=lambda _: {RENAME_TAGS: rename_tags},
    follows_item=TagsFollowItem(),
    goes_with_family=[WeekOfTaps.where],
    mend=mend,
    install=install,
    start=start,
)
