"""What is sent about shared lists: by programs, and by the forms of the pages."""

from typing import Any, Literal

from pydantic import Field

from homeshelf.sentences import _
from homeshelf.shares import fields
from homeshelf.shares.model import DAYS, ChecklistItem, ListContent, NewItem, Passcodes, Role
from homeshelf.shares.store import ListChange, Tick
from homeshelf.shares.unlocking import FIELDS
from homeshelf.web.body import NOT_SENT, Body, NewBody, Version


class WithPasscodes(Body):
    view_passcode: fields.NewPasscode = None
    admin_passcode: fields.NewPasscode = None

    @property
    def both_passcodes(self) -> dict[Role, str | None]:
        return {"view": self.view_passcode, "admin": self.admin_passcode}


class CloneBody(WithPasscodes, NewBody):
    name: fields.Name | None = None
    expires_in_days: fields.Days | None = None

    @property
    def passcodes(self) -> Passcodes:
        return Passcodes(self.view_passcode, self.admin_passcode)


class MakeForm(CloneBody):
    """A list whose items come from elsewhere: another list, or what is to be bought."""

    name: fields.Name
    expires_in_days: fields.Days = DAYS


class NewList(MakeForm):
    entity: fields.Entity = "checklist"
    note: fields.Note | None = None
    items: fields.Items = Field(default_factory=list)

    @property
    def content(self) -> ListContent:
        items = tuple(item.new for item in self.items)
        return ListContent(self.name, self.note or None, items, self.entity, self.expires_in_days)


class ListChangeBody(WithPasscodes):
    name: fields.Name = NOT_SENT
    note: fields.Note | None = None
    expires_in_days: fields.Days = NOT_SENT
    version: Version

    @property
    def wanted(self) -> ListChange:
        given = self.given("version", "expires_in_days", "view_passcode", "admin_passcode")
        return ListChange(self.version, _or_nothing(given), self.expires_in_days)

    @property
    def passcodes(self) -> dict[Role, str | None]:
        """Those that were sent; null takes one away."""
        sent, both = self.model_fields_set, self.both_passcodes
        return {role: text for role, text in both.items() if f"{role}_passcode" in sent}


class ItemChange(Body):
    name: fields.Name = NOT_SENT
    note: fields.Note | None = None
    checked: fields.Checked = NOT_SENT
    checked_by: fields.CheckedBy | None = None

    @property
    def edits(self) -> bool:
        """Whether it is more than a tick."""
        return not {"name", "note"}.isdisjoint(self.model_fields_set)

    @property
    def tick(self) -> Tick:
        return Tick(self.checked, self.checked_by, says_who="checked_by" in self.model_fields_set)

    def of(self, item: ChecklistItem) -> ChecklistItem:
        return self.tick.of(item.changed(**_or_nothing(self.given("checked", "checked_by"))))


def _or_nothing(given: dict[str, Any]) -> dict[str, Any]:
    return {name: text or None for name, text in given.items()}


class Unlock(NewBody):
    passcode: fields.Passcode


class Order(NewBody):
    checklist_item_ids: fields.ItemIds


class Keep(NewBody):
    token: fields.Token = None


class FindForm(NewBody):
    id: fields.Find = ""


class NewListForm(MakeForm):
    note: fields.Note | None = None
    items: fields.Lines = ""

    @property
    def content(self) -> ListContent:
        items = tuple(NewItem(line) for line in self.items.splitlines())
        return ListContent(self.name, self.note or None, items, days=self.expires_in_days)


class FromListForm(MakeForm):
    store_id: fields.StoreId | None = None


class SettingsForm(WithPasscodes, NewBody):
    name: fields.Name
    note: fields.Note | None = None
    expires_in_days: fields.Days | None = None
    no_view_passcode: bool = False
    no_admin_passcode: bool = False
    version: Version

    @property
    def wanted(self) -> ListChange:
        return ListChange(
            self.version,
            {"name": self.name, "note": self.note or None},
            self.expires_in_days,
        )

    @property
    def passcodes(self) -> dict[Role, str | None]:
        """Those that are to change; None takes one away."""
        return {
            role: text for role, text in self.both_passcodes.items() if text or self._ends(role)
        }

    @property
    def unsure(self) -> dict[str, str]:
        """What was both set and taken away."""
        return {
            FIELDS[role]: _("Either a new one, or none: not both.")
            for role, text in self.both_passcodes.items()
            if text and self._ends(role)
        }

    def _ends(self, role: Role) -> bool:
        return self.no_view_passcode if role == "view" else self.no_admin_passcode


class TickForm(NewBody):
    checked: fields.Checked


class RestoreForm(fields.ItemBody):
    """An item that was removed a moment ago."""

    before: fields.ItemId | None = None
    checked: bool = False
    checked_by: fields.CheckedBy | None = None


class MoveForm(NewBody):
    to: Literal["up", "down"]


class WhoForm(NewBody):
    who: fields.CheckedBy | None = None
