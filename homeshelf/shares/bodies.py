"""What is sent about shared lists of all kinds: by programs, and by the forms of the pages."""

from typing import Any

from homeshelf.sentences import _
from homeshelf.shares import fields
from homeshelf.shares.model import DAYS, ListContent, Passcodes, Role
from homeshelf.shares.store import ListChange
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


class NewShareable(MakeForm):
    """A new list of any kind: each kind adds its `entity` and its children."""

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
    def wanted(self) -> ListChange:
        given = self.given("version", "expires_in_days", "view_passcode", "admin_passcode")
        return ListChange(self.version, or_nothing(given), self.expires_in_days)

    @property
    def passcodes(self) -> dict[Role, str | None]:
        """Those that were sent; null takes one away."""
        sent, both = self.model_fields_set, self.both_passcodes
        return {role: text for role, text in both.items() if f"{role}_passcode" in sent}


def or_nothing(given: dict[str, Any]) -> dict[str, Any]:
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
