"""The kinds of a shared list's fields: limits and messages, once."""

from typing import Annotated

from fastapi import Path
from pydantic import AfterValidator, Field

from homeshelf.shares import model
from homeshelf.web.body import NewBody, Says, id_, text, whole
from homeshelf.web.ids import is_id

NOT_DIFFERENT = "The two passcodes must differ."

Entity = Annotated[model.Entity, Says("This must be checklist.")]
Name = Annotated[str, text(1, 200, "A name has 1 to 200 characters.")]
Note = Annotated[str, text(0, 2000, "A note has at most 2,000 characters.")]
Passcode = Annotated[
    str, text(4, 128, "A passcode has 4 to 128 characters.", trim=False), Field(repr=False)
]
PasscodeTried = Annotated[
    str, text(1, 128, "The passcode is needed.", trim=False), Field(repr=False)
]
Token = Annotated[str, text(1, 4000, "This is not a list's token."), Field(repr=False)]
Days = Annotated[int, whole(1, 365, "A list lives from 1 to 365 days.")]
CheckedBy = Annotated[str, text(0, 50, "A name here has at most 50 characters.")]
ItemIdGiven = Annotated[str, id_("This is not the id of an item.")]


class ItemBody(NewBody):
    name: Name
    note: Note | None = None


Items = Annotated[list[ItemBody], Field(max_length=model.MOST_ITEMS)]


def _named(text: str) -> str:
    """A malformed one names nothing: it is looked for, and not found, like any other."""
    return text.lower() if is_id(text) else "none"


ChecklistItemId = Annotated[str, Path(alias="checklistItemId"), AfterValidator(_named)]
