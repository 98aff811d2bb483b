from functools import partial
from typing import Annotated

from fastapi import Path
from pydantic import AfterValidator, Field

from homeshelf.inventory.model import MAX_QUANTITY
from homeshelf.sentences import _
from homeshelf.shopping import model
from homeshelf.shopping.entry_parser import parse_entries, remove_invisible
from homeshelf.web.body import FieldRule, field_error, id_, is_visible, require_shown, text, whole
from homeshelf.web.ids import UUID, id_validator

UNASSIGNED = "unassigned"
MAX_NAME_LENGTH = 100
MAX_ENTRIES = 100
MAX_TEXT_LENGTH = 5000
MAX_ORDERED_NAMES = 500
EMPTY_TEXT = _("Enter what you need, up to {most} characters.", most=MAX_NAME_LENGTH)


def _check_entries(value: str) -> str:
    if len(value) > MAX_TEXT_LENGTH:
        raise field_error(_("That’s a lot. Add it in two parts."))
    text = remove_invisible(value).strip()
    entries = parse_entries(text)
    if len(entries) > MAX_ENTRIES:
        raise field_error(_("That’s a lot. Add up to {most} items at once.", most=MAX_ENTRIES))
    if any(len(entry.name) > MAX_NAME_LENGTH for entry in entries):
        raise field_error(
            _("That’s too long. Use at most {most} characters.", most=MAX_NAME_LENGTH)
        )
    if not entries or not all(is_visible(entry.name) for entry in entries):
        raise field_error(EMPTY_TEXT)
    for entry in entries:
        require_shown(f"{entry.name} {entry.notes or ''}")
    return text


EntryId = Annotated[str, id_(_("Invalid shopping item ID format"))]
Item = Annotated[str, id_(_("Invalid inventory item ID format"), _("This isn’t in your stock."))]
Store = Annotated[str, id_(_("Invalid store ID format"), _("Choose one of your shops."))]
StoreFilter = Annotated[str, id_(_("Invalid store ID format"), pattern=f"{UUID}|^{UNASSIGNED}$")]
TypedText = Annotated[str, FieldRule(EMPTY_TEXT), AfterValidator(_check_entries)]
"""The text of new entries, without `maxlength`: browsers would truncate pasted text."""
Quantity = Annotated[
    int,
    whole(
        1,
        MAX_QUANTITY,
        _("Quantity must be a positive integer"),
        _("Enter a whole number, 1 or more."),
    ),
]
Status = Annotated[model.Status, FieldRule(_("Status must be 'pending' or 'purchased'"))]
NameList = Annotated[
    list[Annotated[str, text(1, MAX_NAME_LENGTH, _("Name must be 1-100 characters"), kind="any")]],
    Field(max_length=MAX_ORDERED_NAMES),
    FieldRule(_("An order can have at most {most} names.", most=MAX_ORDERED_NAMES)),
]
UsualId = Annotated[str, Path(alias="usualId"), id_validator("[0-9a-f]{32}")]
ShoppingItemId = Annotated[
    str,
    Path(alias="shoppingItemId"),
    id_validator(UUID, partial(ValueError, _("Invalid shopping item ID format"))),
]
