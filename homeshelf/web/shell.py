"""The shell around a page: its navigation bar, its menu and its user."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol


class Account(Protocol):
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
    count: str
    """A name from `Slice.counts`."""
    kind: str
    """The kind of record whose changes can change the number."""
    role: str | None = None
    """The role that sees the badge, or None for all members."""
    path: str = "/api/v1/family/counts"
    """The path of the number as JSON, which an open page reads again."""


@dataclass(frozen=True)
class Tab:
    path: str
    word: str
    icon: str
    badges: Sequence[Badge] = ()


@dataclass(frozen=True)
class AddButton:
    """The button in the navigation bar of pages without one of their own."""

    path: str
    word: str
    icon: str
    role: str


@dataclass(frozen=True)
class Shortcut:
    """An entry of the menu that an installed app has on the home screen."""

    path: str
    word: str


@dataclass(frozen=True)
class ShareTarget:
    """The page that shows what another app shares, and adds it when a button is pressed."""

    path: str
    text: str
    """The query parameter of the shared text."""
    title: str
    """The query parameter of its title, which some apps share instead."""


@dataclass(frozen=True)
class Shell:
    """The user, family, navigation and counts around a page."""

    account: Account | None = None
    family_name: str | None = None
    family_id: str | None = None
    role: str | None = None
    picture: str = ""
    """The emoji of the user, or an empty string."""
    counts: dict[str, int] | None = None
    tabs: Sequence[Tab] = ()
    entries: Sequence["MenuEntry"] = ()
    add_buttons: Sequence[AddButton] = ()
    lags: bool = False
    """True if a recent write may be missing from a page for a moment."""

    @property
    def theme(self) -> str:
        return self.account.theme if self.account else "auto"

    def badge_of(self, tab: Tab) -> Badge | None:
        return next((each for each in tab.badges if each.role in (None, self.role)), None)

    @property
    def menu(self) -> list["MenuEntry"]:
        return sorted(
            (each for each in self.entries if each.is_for(self)), key=lambda each: each.place
        )

    @property
    def add_button(self) -> AddButton | None:
        return next((each for each in self.add_buttons if each.role == self.role), None)


def for_everybody(_: Shell) -> bool:
    return True


def for_members(shell: Shell) -> bool:
    return shell.family_id is not None


def for_admins(shell: Shell) -> bool:
    return shell.role == "admin"


@dataclass(frozen=True)
class MenuEntry:
    path: str
    word: str
    icon: str
    place: int
    """The number by which entries are sorted."""
    is_for: Callable[[Shell], bool] = for_everybody
    needs_keys: bool = False
    """True if the entry is useful only with a keyboard."""
    ends_session: bool = False
    """True if the entry is a form that removes the person's data from the browser."""
