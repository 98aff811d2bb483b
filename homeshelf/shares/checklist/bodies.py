"""What is sent about checklists and their items: by programs, and by the forms of the pages."""

from dataclasses import replace
from typing import Literal

from pydantic import Field

from homeshelf.shares import fields
from homeshelf.shares.bodies import MakeForm, NewShareable, or_nothing
from homeshelf.shares.checklist import fields as item_fields
from homeshelf.shares.checklist.model import ENTITY, ChecklistItem, NewItem
from homeshelf.shares.checklist.store import Tick
from homeshelf.shares.model import ListContent
from homeshelf.web.body import NOT_SENT, Body, NewBody


class NewList(NewShareable):
    entity: item_fields.Entity = ENTITY
    note: fields.Note | None = None
    items: item_fields.Items = Field(default_factory=list)

    @property
    def content(self) -> ListContent:
        items = tuple(item.new for item in self.items)
        return replace(super().content, entity=self.entity, items=items)


class ItemChange(Body):
    name: fields.Name = NOT_SENT
    note: fields.Note | None = None
    checked: item_fields.Checked = NOT_SENT
    checked_by: item_fields.CheckedBy | None = None

    @property
    def edits(self) -> bool:
        """Whether it is more than a tick."""
        return not {"name", "note"}.isdisjoint(self.model_fields_set)

    @property
    def tick(self) -> Tick:
        return Tick(self.checked, self.checked_by, says_who="checked_by" in self.model_fields_set)

    def of(self, item: ChecklistItem) -> ChecklistItem:
        return self.tick.of(item.changed(**or_nothing(self.given("checked", "checked_by"))))


class Order(NewBody):
    checklist_item_ids: item_fields.ItemIds


class NewListForm(MakeForm):
    note: fields.Note | None = None
    items: item_fields.Lines = ""

    @property
    def content(self) -> ListContent:
        items = tuple(NewItem(line) for line in self.items.splitlines())
        return ListContent(self.name, self.note or None, items, ENTITY, self.expires_in_days)


class FromListForm(MakeForm):
    store_id: item_fields.StoreId | None = None


class TickForm(NewBody):
    checked: item_fields.Checked


class RestoreForm(item_fields.ItemBody):
    """An item that was removed a moment ago."""

    before: item_fields.ItemId | None = None
    checked: bool = False
    checked_by: item_fields.CheckedBy | None = None


class MoveForm(NewBody):
    to: Literal["up", "down"]


class WhoForm(NewBody):
    who: item_fields.CheckedBy | None = None
