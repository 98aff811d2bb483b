"""What the pages of shared lists are sent."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from homeshelf.shares.changing import ListChange
from homeshelf.shares.fields import CheckedBy, Days, Name, NewPasscode, Note
from homeshelf.shares.model import DAYS, MOST_ITEMS, ListContent, NewItem, Role
from homeshelf.shares.unlocking import Given
from homeshelf.web.body import NewBody, Says, id_
from homeshelf.web.body import version as a_version

LONGEST_NAME = 200
BULLET = re.compile(r"^\s*(?:(?:[-*•–]|\d{1,3}[.)])\s+)?(?:\[[ xX]?\]\s*)?")  # noqa: RUF001  # dashes as people paste them
SURE = "Either a new one, or none: not both."


def lines_of(text: str) -> str:
    """One item a line, without the marks that lists have elsewhere; lines that are empty go."""
    lines = [line for raw in text.splitlines() if (line := BULLET.sub("", raw).strip())]
    if len(lines) > MOST_ITEMS:
        said = f"A list has at most {MOST_ITEMS} things, and these are {len(lines)}."
        raise PydanticCustomError("says", "{said}", {"said": said})
    if long := next((line for line in lines if len(line) > LONGEST_NAME), None):
        said = f"A line has at most {LONGEST_NAME} letters: “{long[:40]}…” has {len(long)}."
        raise PydanticCustomError("says", "{said}", {"said": said})
    return "\n".join(lines)


class MakeForm(NewBody):
    """A list whose items come from elsewhere: another list, or what is to be bought."""

    name: Name
    view_passcode: NewPasscode = None
    admin_passcode: NewPasscode = None
    expires_in_days: Days = DAYS

    @property
    def passcodes(self) -> Given:
        return Given(self.view_passcode, self.admin_passcode)


class NewListForm(MakeForm):
    note: Note | None = None
    items: Annotated[str, AfterValidator(lines_of)] = ""

    @property
    def content(self) -> ListContent:
        items = tuple(NewItem(line) for line in self.items.splitlines())
        return ListContent(self.name, self.note or None, items, days=self.expires_in_days)


class FromListForm(MakeForm):
    store_id: Annotated[str, id_("Choose one of your shops.")] | None = None


class SettingsForm(NewBody):
    name: Name
    note: Note | None = None
    expires_in_days: Days | None = None
    view_passcode: NewPasscode = None
    admin_passcode: NewPasscode = None
    no_view_passcode: bool = False
    no_admin_passcode: bool = False
    version: Annotated[int, a_version()]

    @property
    def wanted(self) -> ListChange:
        fields = {"name": self.name, "note": self.note or None}
        return ListChange(self.version, fields, self.expires_in_days)

    @property
    def passcodes(self) -> dict[Role, str | None]:
        """Those that are to change; None takes one away."""
        wanted: dict[Role, str | None] = {}
        if self.view_passcode or self.no_view_passcode:
            wanted["view"] = self.view_passcode
        if self.admin_passcode or self.no_admin_passcode:
            wanted["admin"] = self.admin_passcode
        return wanted

    @property
    def unsure(self) -> dict[str, str]:
        """What was both set and taken away."""
        found = {}
        if self.view_passcode and self.no_view_passcode:
            found["viewPasscode"] = SURE
        if self.admin_passcode and self.no_admin_passcode:
            found["adminPasscode"] = SURE
        return found


class TickForm(NewBody):
    checked: Annotated[bool, Says("This must be true or false.")]


class ItemForm(NewBody):
    name: Name
    note: Note | None = None

    @property
    def new(self) -> NewItem:
        return NewItem(self.name, self.note or None)


class RestoreForm(ItemForm):
    """An item that was removed a moment ago."""

    before: Annotated[str, id_("This is not the id of an item.")] | None = None
    checked: bool = False
    checked_by: CheckedBy | None = None


class MoveForm(NewBody):
    to: Literal["up", "down"]


class WhoForm(NewBody):
    who: CheckedBy | None = None
