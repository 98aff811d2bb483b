"""The request bodies and page forms of shared lists of all kinds."""

from typing import Any

from homeshelf.sentences import _
from homeshelf.shares import fields
from homeshelf.shares.model import DEFAULT_DAYS, ListContent, Passcodes, Role
from homeshelf.shares.passcodes import FIELDS
from homeshelf.shares.store import ListChange
from homeshelf.web.body import NOT_SENT, Body, NewBody, Version


class WithPasscodes(Body):
    view_passcode: fields.NewPasscode = None
    admin_passcode: fields.NewPasscode = None

    @property
    def passcodes_by_role(self) -> dict[Role, str | None]:
        return {"view": self.view_passcode, "admin": self.admin_passcode}


class CloneBody(WithPasscodes, NewBody):
    name: fields.Name | None = None
    expires_in_days: fields.Days | None = None

    @property
    def passcodes(self) -> Passcodes:
        return Passcodes(self.view_passcode, self.admin_passcode)


class MakeForm(CloneBody):
    name: fields.Name
    expires_in_days: fields.Days = DEFAULT_DAYS


class NewShareable(MakeForm):
    note: fields.Note | None = None

    @property
    def content(self) -> ListContent:
        return ListContent(self.name, self.note or None, days=self.expires_in_days)


class ListChangeBody(WithPasscodes):
    name: fields.Name = NOT_SENT
    note: fields.Note | None = None
    expires_in_days: fields.Days = NOT_SENT
    version: Version

    @property
    def change(self) -> ListChange:
        given = self.given("version", "expires_in_days", "view_passcode", "admin_passcode")
        return ListChange(self.version, empty_to_none(given), self.expires_in_days)

    @property
    def passcodes(self) -> dict[Role, str | None]:
        """The passcodes that were sent; null removes one."""
        sent = self.model_fields_set
        return {
            role: text
            for role, text in self.passcodes_by_role.items()
            if f"{role}_passcode" in sent
        }


def empty_to_none(given: dict[str, Any]) -> dict[str, Any]:
    return {name: text or None for name, text in given.items()}


class Unlock(NewBody):
    passcode: fields.Passcode


class Keep(NewBody):
    token: fields.Token = None


class FindForm(NewBody):
    id: fields.Find = ""


class SettingsForm(WithPasscodes, NewBody):
    name: fields.Name
    note: fields.Note | None = None
    expires_in_days: fields.Days | None = None
    no_view_passcode: bool = False
    no_admin_passcode: bool = False
    version: Version

    @property
    def change(self) -> ListChange:
        fields = {"name": self.name, "note": self.note or None}
        return ListChange(self.version, fields, self.expires_in_days)

    @property
    def passcodes(self) -> dict[Role, str | None]:
        """The passcodes to change; None removes one."""
        return {
            role: text
            for role, text in self.passcodes_by_role.items()
            if text or self._removes(role)
        }

    @property
    def contradictions(self) -> dict[str, str]:
        """An error for each passcode that was both set and removed."""
        return {
            FIELDS[role]: _("Enter a new passcode or remove it, not both.")
            for role, text in self.passcodes_by_role.items()
            if text and self._removes(role)
        }

    def _removes(self, role: Role) -> bool:
        return self.no_view_passcode if role == "view" else self.no_admin_passcode
