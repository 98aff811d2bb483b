"""The request bodies and page forms of checklists and their items."""

from dataclasses import replace
from typing import Literal

from pydantic import Field

from homeshelf.shares import fields
from homeshelf.shares.bodies import MakeForm, NewShareable, empty_to_none
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
    def is_edit(self) -> bool:
        return not {"name", "note"}.isdisjoint(self.model_fields_set)

    @property
    def tick(self) -> Tick:
        return Tick(self.checked, self.checked_by, has_name="checked_by" in self.model_fields_set)

    def apply_to(self, item: ChecklistItem) -> ChecklistItem:
        return self.tick.apply_to(
            item.changed(**empty_to_none(self.given("checked", "checked_by")))
        )


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
    before: item_fields.ItemId | None = None
    checked: bool = False
    checked_by: item_fields.CheckedBy | None = None


class MoveForm(NewBody):
    to: Literal["up", "down"]


class WhoForm(NewBody):
    who: item_fields.CheckedBy | None = None
