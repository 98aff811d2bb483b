"""The fields of checklists and their items, with their limits and messages."""

import re
from typing import Annotated

from fastapi import Path
from pydantic import AfterValidator, BeforeValidator, Field

from homeshelf.controls import without_control_characters
from homeshelf.sentences import _
from homeshelf.shares import fields
from homeshelf.shares.checklist import model
from homeshelf.web.body import FieldRule, NewBody, field_error, id_, is_visible, text
from homeshelf.web.ids import WELL_FORMED

MAX_PERSON_NAME = 50
BULLET = re.compile(r"^\s*(?:(?:[-*•–]|\d{1,3}[.)])\s+)?(?:\[[ xX]?\]\s*)?")  # noqa: RUF001  # dashes as people paste them


def lines_of(text: str) -> str:
    """Return one item per line, without bullets and empty lines."""
    shown = map(without_control_characters, text.splitlines())
    lines = [line for each in shown if is_visible(line := BULLET.sub("", each).strip())]
    if len(lines) > model.MAX_ITEMS:
        raise field_error(
            _(
                "A list can have at most {most} items. This one has {found}.",
                most=model.MAX_ITEMS,
                found=len(lines),
            )
        )
    if long := next((line for line in lines if len(line) > fields.MAX_NAME), None):
        raise field_error(
            _(
                "Use at most {most} characters a line: “{line}…” has {found}.",
                most=fields.MAX_NAME,
                line=long[:40],
                found=len(long),
            )
        )
    return "\n".join(lines)


Entity = Annotated[model.Entity, BeforeValidator(fields.require_known_entity)]
StoreId = Annotated[str, id_(_("Choose one of your shops."))]
Checked = Annotated[bool, FieldRule(_("This must be true or false."))]
CheckedBy = Annotated[str, text(0, MAX_PERSON_NAME, _("Use at most 50 characters."))]


class ItemBody(NewBody):
    name: fields.Name
    note: fields.Note | None = None

    @property
    def new(self) -> model.NewItem:
        return model.NewItem(self.name, self.note or None)


_MANY = _("A list can have at most {most_items} items.", most_items=model.MAX_ITEMS)
Items = Annotated[list[ItemBody], Field(max_length=model.MAX_ITEMS), FieldRule(_MANY)]
ItemId = Annotated[str, id_(_("This isn’t an item ID."))]
ItemIds = Annotated[list[ItemId], Field(max_length=model.MAX_ITEMS), FieldRule(_MANY)]
Lines = Annotated[str, AfterValidator(lines_of)]
ChecklistItemId = Annotated[str, Path(alias="checklistItemId"), WELL_FORMED]
