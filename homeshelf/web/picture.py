"""The body field for the picture of a person or an item: one emoji."""

from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from homeshelf.pictures import is_one_emoji
from homeshelf.sentences import _
from homeshelf.web.body import FieldRule


def _one_emoji(text: str) -> str:
    if not is_one_emoji(text):
        raise ValueError("not one emoji")
    return text


LONGEST_EMOJI = 20
"""The limit on code points, more than any emoji has."""

Picture = Annotated[
    str,
    StringConstraints(strip_whitespace=True, max_length=LONGEST_EMOJI),
    AfterValidator(_one_emoji),
    FieldRule(
        _("Picture must be one emoji"), on_page=_("Choose one emoji."), longest=LONGEST_EMOJI
    ),
]
