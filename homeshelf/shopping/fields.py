"""The kinds of the fields of the list: limits and messages, once."""

from typing import Annotated

from pydantic import AfterValidator, StringConstraints
from pydantic_core import PydanticCustomError

from homeshelf.inventory.model import MOST
from homeshelf.shopping import model
from homeshelf.shopping.model import understood
from homeshelf.web.body import Limited, Says, id_, text, whole
from homeshelf.web.ids import UUID

UNASSIGNED = "unassigned"
LONGEST_NAME = 100


def _of_a_name(text: str) -> str:
    name, _ = understood(text)
    if len(name) > LONGEST_NAME:
        raise PydanticCustomError("says", f"That is too long: up to {LONGEST_NAME} letters.")
    return text


EntryId = Annotated[str, id_("Invalid shopping item ID format")]
Item = Annotated[str, id_("Invalid inventory item ID format", "This is not in your stock.")]
Store = Annotated[str, id_("Invalid store ID format", "Choose one of your shops.")]
StoreAsked = Annotated[
    str,
    Limited(
        "Invalid store ID format",
        StringConstraints(pattern=f"{UUID}|^{UNASSIGNED}$", to_lower=True),
    ),
]
Typed = Annotated[
    str, text(1, 120, "What do you need? Up to 120 letters."), AfterValidator(_of_a_name)
]
"""A name, and how many, as somebody says it."""
Name = Annotated[
    str,
    text(1, LONGEST_NAME, "Name must be 1-100 characters", "Give it a name of up to 100 letters."),
]
Quantity = Annotated[
    int, whole(1, MOST, "Quantity must be a positive integer", "A whole number, 1 or more.")
]
Notes = Annotated[str, text(0, 500, "Notes must be 500 characters or less", "At most 500 letters.")]
Status = Annotated[model.Status, Says("Status must be 'pending' or 'purchased'")]
