from functools import partial
from typing import Annotated

from fastapi import Path

from homeshelf.sentences import _
from homeshelf.suggestions import model
from homeshelf.web.body import FieldRule, id_, text
from homeshelf.web.ids import UUID, id_validator

ITEM_NEEDED = _("Item ID required for add_to_shopping type")
NAME_NEEDED = _("Proposed item name required for create_item type")

_LETTERS = _("Use at most 500 characters.")

Type = Annotated[model.Type, FieldRule(_("Type must be 'add_to_shopping' or 'create_item'"))]
Status = Annotated[model.Status, FieldRule(_("Invalid suggestion status"))]
Item = Annotated[str, id_(ITEM_NEEDED, _("Choose an item."))]
Name = Annotated[str, text(1, 100, NAME_NEEDED, _("Enter a name of up to 100 characters."))]
Notes = Annotated[
    str, text(0, 500, _("Notes must be 500 characters or less"), _LETTERS, kind="any")
]
RejectionNotes = Annotated[
    str, text(0, 500, _("Rejection notes must be 500 characters or less"), _LETTERS, kind="any")
]
SuggestionId = Annotated[
    str,
    Path(alias="suggestionId"),
    id_validator(UUID, partial(ValueError, _("Invalid suggestion ID format"))),
]
