"""The request bodies of tags, with their limits and messages."""

from typing import Annotated

from fastapi import Path
from pydantic import AfterValidator

from homeshelf.errors import NotFound
from homeshelf.sentences import _
from homeshelf.taps.model import is_url_id
from homeshelf.web.body import Body, NewBody, text, whole

MAX_PER_TAP = 20


def _require_url_id(url_id: str) -> str:
    """Answer 404 for a malformed id in a path."""
    if not is_url_id(url_id):
        raise NotFound
    return url_id


Label = Annotated[
    str, text(0, 50, _("Label must be 50 characters or less"), _("Use at most 50 characters."))
]
Delta = Annotated[
    int, whole(-MAX_PER_TAP, MAX_PER_TAP, _("Delta must be from -20 to 20, but not 0"), zero=False)
]
TapKey = Annotated[str, text(1, 128, _("This must be 1 to 128 characters."), kind="any")]
UrlId = Annotated[str, Path(alias="urlId"), AfterValidator(_require_url_id)]


class NewTag(NewBody):
    label: Label | None = None


class TagChange(Body):
    label: Label | None = None


class Tap(NewBody):
    delta: Delta
    undo: bool = False


class TapForm(NewBody):
    """The form on a tag's page, for browsers without scripts."""

    delta: Delta
    key: TapKey


class StopForm(NewBody):
    tag: str = ""
