"""The kinds of the fields of the list: limits and messages, once."""

from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from homeshelf.inventory.model import MOST
from homeshelf.sentences import _
from homeshelf.shopping import model
from homeshelf.shopping.model import understood
from homeshelf.web.body import Limited, Says, id_, text, whole, wrong
from homeshelf.web.ids import UUID

UNASSIGNED = "unassigned"
LONGEST_NAME = 100


def _of_a_name(text: str) -> str:
    name, _amount = understood(text)
    if len(name) > LONGEST_NAME:
        raise wrong(_("That is too long: up to {most} letters.", most=LONGEST_NAME))
    return text


EntryId = Annotated[str, id_(_("Invalid shopping item ID format"))]
Item = Annotated[str, id_(_("Invalid inventory item ID format"), _("This is not in your stock."))]
Store = Annotated[str, id_(_("Invalid store ID format"), _("Choose one of your shops."))]
StoreAsked = Annotated[
    str,
    Limited(
        _("Invalid store ID format"),
        StringConstraints(
            pattern=_("{uuid}|^{unassigned}$", uuid=UUID, unassigned=UNASSIGNED), to_lower=True
        ),
    ),
]
Typed = Annotated[
    str, text(1, 120, _("What do you need? Up to 120 letters.")), AfterValidator(_of_a_name)
]
"""A name, and how many, as somebody says it."""
Name = Annotated[
    str,
    text(
        1,
        LONGEST_NAME,
        _("Name must be 1-100 characters"),
        _("Give it a name of up to 100 letters."),
    ),
]
Quantity = Annotated[
    int, whole(1, MOST, _("Quantity must be a positive integer"), _("A whole number, 1 or more."))
]
Notes = Annotated[
    str, text(0, 500, _("Notes must be 500 characters or less"), _("At most 500 letters."))
]
Status = Annotated[model.Status, Says(_("Status must be 'pending' or 'purchased'"))]
