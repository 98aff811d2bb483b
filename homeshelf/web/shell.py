"""What stands around a page: the bar, the menu, and whom it is for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol


class Account(Protocol):
    """Whom a page is for."""

    @property
    def member_id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def is_child(self) -> bool: ...
    @property
    def families(self) -> tuple[str, ...]: ...
    @property
    def theme(self) -> str: ...
    @property
    def time_zone(self) -> str: ...
    @property
    def language(self) -> str: ...


@dataclass(frozen=True)
class Badge:
    """A number beside a tab."""

    count: str
    """One of `Slice.counts`."""
    kind: str
    """The kind of record whose changes may change it."""


@dataclass(frozen=True)
class Tab:
    """One of the places in the bar at the bottom."""

    path: str
    word: str
    icon: str
    badge: Badge | None = None


@dataclass(frozen=True)
class AddButton:
    """The button in the bar, on pages that have none of their own."""

    path: str
    word: str
    icon: str
    role: str


@dataclass(frozen=True)
class Shell:
    """What stands around a page: who is there, where they are, what waits."""

    account: Account | None = None
    family_name: str | None = None
    family_id: str | None = None
    role: str | None = None
    picture: str = ""
    """What was chosen for the person there, if anything was."""
    counts: dict[str, int] | None = None
    tabs: Sequence[Tab] = ()
    entries: Sequence["MenuEntry"] = ()
    add_buttons: Sequence[AddButton] = ()
    lags: bool = False
    """Whether what was just written may be missing from a page for a moment."""

    @property
    def theme(self) -> str:
        return self.account.theme if self.account else "auto"

    @property
    def menu(self) -> list["MenuEntry"]:
        """The entries for this person, in their order."""
        return sorted(
            (each for each in self.entries if each.is_for(self)), key=lambda each: each.place
        )

    @property
    def add_button(self) -> AddButton | None:
        return next((each for each in self.add_buttons if each.role == self.role), None)


def everybody(_: Shell) -> bool:
    return True


def members(shell: Shell) -> bool:
    return shell.family_id is not None


def admins(shell: Shell) -> bool:
    return shell.role == "admin"


@dataclass(frozen=True)
class MenuEntry:
    path: str
    word: str
    icon: str
    place: int
    """Entries stand in the order of these numbers."""
    is_for: Callable[[Shell], bool] = everybody
    needs_keys: bool = False
    """Whether it is of use only with a keyboard."""
    ends_session: bool = False
    """Whether it is a form, after which nothing of the person stays in the browser."""
