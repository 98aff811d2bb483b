from functools import partial
from typing import Annotated

from fastapi import Path
from pydantic import AfterValidator, Field

from homeshelf.inventory.model import MOST
from homeshelf.sentences import _
from homeshelf.shopping import model
from homeshelf.shopping.typed import understood, without_unseen
from homeshelf.web.body import FieldRule, field_error, id_, is_visible, require_shown, text, whole
from homeshelf.web.ids import UUID, id_validator

UNASSIGNED = "unassigned"
LONGEST_NAME = 100
MOST_AT_ONCE = 100
MOST_TYPED = 5000
MOST_IN_ORDER = 500
NOTHING_TYPED = _("What do you need? Up to {most} letters.", most=LONGEST_NAME)


def _of_entries(typed: str) -> str:
    if len(typed) > MOST_TYPED:
        raise field_error(_("That is a lot: send it in two parts."))
    text = without_unseen(typed).strip()
    entries = understood(text)
    if len(entries) > MOST_AT_ONCE:
        raise field_error(_("That is a lot: up to {most} things at once.", most=MOST_AT_ONCE))
    if any(len(entry.name) > LONGEST_NAME for entry in entries):
        raise field_error(_("That is too long: up to {most} letters.", most=LONGEST_NAME))
    if not entries or not all(is_visible(entry.name) for entry in entries):
        raise field_error(NOTHING_TYPED)
    for entry in entries:
        require_shown(f"{entry.name} {entry.notes or ''}")
    return text


EntryId = Annotated[str, id_(_("Invalid shopping item ID format"))]
Item = Annotated[str, id_(_("Invalid inventory item ID format"), _("This is not in your stock."))]
Store = Annotated[str, id_(_("Invalid store ID format"), _("Choose one of your shops."))]
StoreAsked = Annotated[
    str,
    id_(_("Invalid store ID format"), pattern=f"{UUID}|^{UNASSIGNED}$"),
]
Typed = Annotated[str, FieldRule(NOTHING_TYPED), AfterValidator(_of_entries)]
"""One or several things to buy. Browsers get no limit, because they would cut what is pasted."""
Quantity = Annotated[
    int, whole(1, MOST, _("Quantity must be a positive integer"), _("A whole number, 1 or more."))
]
Status = Annotated[model.Status, FieldRule(_("Status must be 'pending' or 'purchased'"))]
NamesInOrder = Annotated[
    list[Annotated[str, text(1, LONGEST_NAME, _("Name must be 1-100 characters"), kind="any")]],
    Field(max_length=MOST_IN_ORDER),
    FieldRule(_("An order has at most {most} names.", most=MOST_IN_ORDER)),
]
UsualId = Annotated[str, Path(alias="usualId"), id_validator("[0-9a-f]{32}")]
ShoppingItemId = Annotated[
    str,
    Path(alias="shoppingItemId"),
    id_validator(UUID, partial(ValueError, _("Invalid shopping item ID format"))),
]
