"""The fields of shared lists, with their limits and messages."""

import re
from typing import Annotated

from fastapi import Path
from pydantic import AfterValidator, Field

from homeshelf.controls import without_control_characters
from homeshelf.sentences import _
from homeshelf.shares import model
from homeshelf.web.body import NewBody, Says, id_, is_visible, text, whole, wrong
from homeshelf.web.ids import WELL_FORMED

LONGEST_NAME, LONGEST_WHO = 200, 50
LONGEST_FIND = 300
"""A visitor may paste a whole link instead of an id."""
NO_SUCH_LIST = _("There is no list with this id. Ask for it once more?")
NOT_DIFFERENT = _("The two passcodes must differ.")
BULLET = re.compile(r"^\s*(?:(?:[-*•–]|\d{1,3}[.)])\s+)?(?:\[[ xX]?\]\s*)?")  # noqa: RUF001  # dashes as people paste them


def lines_of(text: str) -> str:
    """Return one item per line, without bullets and empty lines."""
    shown = map(without_control_characters, text.splitlines())
    lines = [line for each in shown if is_visible(line := BULLET.sub("", each).strip())]
    if len(lines) > model.MOST_ITEMS:
        raise wrong(
            _(
                "A list has at most {most} things, and these are {found}.",
                most=model.MOST_ITEMS,
                found=len(lines),
            )
        )
    if long := next((line for line in lines if len(line) > LONGEST_NAME), None):
        raise wrong(
            _(
                "A line has at most {most} letters: “{line}…” has {found}.",
                most=LONGEST_NAME,
                line=long[:40],
                found=len(long),
            )
        )
    return "\n".join(lines)


Entity = Annotated[model.Entity, Says(_("This must be checklist."))]
Name = Annotated[str, text(1, LONGEST_NAME, _("A name has 1 to 200 characters."))]
Note = Annotated[str, text(0, 2000, _("A note has at most 2,000 characters."), kind="any")]
_PASSCODE = text(4, 128, _("A passcode has 4 to 128 characters."), kind="any", trim=False)
_TOKEN = text(1, 4000, _("This is not a list's token."), kind="any")
_SECRET = Field(repr=False)
NewPasscode = Annotated[Annotated[str, _PASSCODE] | None, _SECRET]
Passcode = Annotated[
    str, text(1, 128, _("The passcode is needed."), kind="any", trim=False), _SECRET
]
Token = Annotated[Annotated[str, _TOKEN] | None, _SECRET]
Days = Annotated[int, whole(1, 365, _("A list lives from 1 to 365 days."))]
StoreId = Annotated[str, id_(_("Choose one of your shops."))]
Find = Annotated[str, text(0, LONGEST_FIND, NO_SUCH_LIST, kind="any")]
Checked = Annotated[bool, Says(_("This must be true or false."))]
CheckedBy = Annotated[str, text(0, LONGEST_WHO, _("A name here has at most 50 characters."))]


class ItemBody(NewBody):
    name: Name
    note: Note | None = None

    @property
    def new(self) -> model.NewItem:
        return model.NewItem(self.name, self.note or None)


_MANY = _("A list has at most {most_items} items.", most_items=model.MOST_ITEMS)
Items = Annotated[list[ItemBody], Field(max_length=model.MOST_ITEMS), Says(_MANY)]
ItemId = Annotated[str, id_(_("This is not the id of an item."))]
ItemIds = Annotated[list[ItemId], Field(max_length=model.MOST_ITEMS), Says(_MANY)]
Lines = Annotated[str, AfterValidator(lines_of)]
"""Items as a person types or pastes them."""
ChecklistItemId = Annotated[str, Path(alias="checklistItemId"), WELL_FORMED]
