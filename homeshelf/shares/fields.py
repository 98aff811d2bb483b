"""The kinds of a shared list's fields: limits and messages, once."""

from typing import Annotated

from pydantic import Field

from homeshelf.shares import model
from homeshelf.web.body import NewBody, Says, id_, text, whole

NOT_DIFFERENT = "The two passcodes must differ."

Entity = Annotated[model.Entity, Says("This must be checklist.")]
Name = Annotated[str, text(1, 200, "A name has 1 to 200 characters.")]
Note = Annotated[str, text(0, 2000, "A note has at most 2,000 characters.")]
_PASSCODE = text(4, 128, "A passcode has 4 to 128 characters.", trim=False)
_TOKEN = text(1, 4000, "This is not a list's token.")
_SECRET = Field(repr=False)
NewPasscode = Annotated[Annotated[str, _PASSCODE] | None, _SECRET]
Passcode = Annotated[str, text(1, 128, "The passcode is needed.", trim=False), _SECRET]
Token = Annotated[Annotated[str, _TOKEN] | None, _SECRET]
Days = Annotated[int, whole(1, 365, "A list lives from 1 to 365 days.")]
Checked = Annotated[bool, Says("This must be true or false.")]
CheckedBy = Annotated[str, text(0, 50, "A name here has at most 50 characters.")]


class ItemBody(NewBody):
    name: Name
    note: Note | None = None


_MANY = f"A list has at most {model.MOST_ITEMS} items."
Items = Annotated[list[ItemBody], Field(max_length=model.MOST_ITEMS), Says(_MANY)]
ItemIds = Annotated[
    list[Annotated[str, id_("This is not the id of an item.")]],
    Field(max_length=model.MOST_ITEMS),
    Says(_MANY),
]
