"""The attributes of pages for the script that updates them live."""

import re
from pathlib import Path

import pytest

from homeshelf.moving.record_kinds import every_kind
from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.web import pages
from tests.home import Home
from tests.pages import see

PAGES = ("/", "/stock", "/places", "/wishes", "/family", "/list", "/notices")
_ONE = "InventoryItem:{{ item.item_id }}"
FOLLOWED = {
    ("home/home.html", "answers"): {
        "Suggestion": "what was decided",
        "InventoryItem": "the picture of what was asked for",
        "ShoppingListItem": "whether it is on the list",
        "Member": "the name of who decided",
    },
    ("home/home.html", "steps"): {
        "HomeStep": "others leave a step out",
        "InventoryItem": "ten things are a step",
        "Member": "so is whoever joins",
        "ShoppingListItem": "and the first entry of the list",
        "StorageLocation": "and the first place",
    },
    ("home/home.html", "now"): {
        "InventoryItem": "what runs low, by its name and with how many are left",
        "Notification": "what was told about it",
        "ShoppingListItem": "how much is to be bought, and what is on the list already",
        "Store": "where",
        "Suggestion": "what waits for an answer",
    },
    ("home/wall.html", "wall"): {
        "InventoryItem": "what runs low, by its name and with how many are left",
        "Notification": "what was told about it",
        "Suggestion": "what waits for an answer",
    },
    ("home/home.html", "people"): {"Member": "who is at home"},
    ("inventory/stock.html", "stock"): {
        "InventoryItem": "what is there, and how many",
        "Notification": "how many run low",
        "StorageLocation": "the headings",
    },
    ("inventory/item.html", "item"): {
        _ONE: "the thing itself, and no other",
        "ShoppingListItem": "whether it is on the list",
        "StorageLocation": "what the place is called where it is kept",
        "Store": "and the shop where it is bought",
        "NFCUrl": "its tags",
        "Member": "the names of those who did what",
    },
    ("places/places.html", "locations"): {"StorageLocation": "the places"},
    ("places/places.html", "stores"): {"Store": "the shops"},
    ("notices/notices.html", "notices"): {
        "Notification": "what is told, seen and settled",
        "InventoryItem": "what it is called, and how many are left",
    },
    ("taps/family.html", "tags"): {
        "NFCUrl": "the tags, by their things",
        "InventoryItem": "what those are called, and whether they are put aside",
    },
    ("taps/tags.html", "tags"): {
        "NFCUrl": "the tags of one thing",
        _ONE: "what it is called, and whether it is put aside",
    },
    ("suggestions/decide.html", "wishes"): {
        "Suggestion": "what is asked for, and what was decided",
        "InventoryItem": "whether there still is such a thing",
        "ShoppingListItem": "whether it is on the list already",
        "Member": "whether who asks is still in the family",
    },
    ("suggestions/ask.html", "answers"): {
        "Suggestion": "what was decided",
        "InventoryItem": "the picture of what was asked for",
        "ShoppingListItem": "whether it is on the list",
        "Member": "the name of who decided",
    },
    ("suggestions/ask.html", "cards"): {
        "InventoryItem": "what can be asked for",
        "ShoppingListItem": "what is on the list already",
        "Suggestion": "what was asked for already",
    },
    ("suggestions/ask.html", "outcomes"): {
        "Suggestion": "what became of each wish",
        "InventoryItem": "the picture of what was asked for",
        "ShoppingListItem": "whether it is on the list",
        "Member": "the name of who decided",
    },
    ("suggestions/item.html", "wished"): {
        _ONE: "what a child is about to ask for",
        "ShoppingListItem": "whether it is on the list already",
        "Suggestion": "whether it was asked for already",
    },
    ("families/family.html", "home-name"): {"Family": "what the home is called"},
    ("families/family.html", "home-naming"): {"Family": "the same, where it is changed"},
    ("families/family.html", "family"): {
        "Member": "who is in it",
        "Invitation": "who is invited",
    },
    ("families/child.html", "child"): {
        "Member:{{ child.member_id }}": "name and picture, and whether the link was used",
    },
    ("families/invitation.html", "invitation"): {
        "Invitation:{{ invitation.invitation_id }}": "its link, and whether it was answered",
    },
}
"""The kinds that each part of a page follows, with their use in that part."""
_REGION = re.compile(r'<live-region id="([^"]+)" data-on="([^"]+)"')


@pytest.mark.parametrize("path", PAGES)
async def test_every_household_page_has_live_parts(home: Home, path: str) -> None:
    kid = await home.with_member("kid", "suggester")
    for who in (home.admin, kid):
        shown = await see(who, path)
        found = _REGION.findall(shown)
        assert found or "<shopping-list" in shown, "the list is drawn by the phone"
        assert len({id_ for id_, _ in found}) == len(found)


async def test_page_declares_whether_an_index_may_lag(home: Home) -> None:
    embedded = isinstance(home.running.db.engine, Sqlite)
    assert ("data-lags" in await see(home.admin, "/stock")) is not embedded


def test_each_live_part_follows_exactly_the_kinds_it_shows() -> None:
    package = Path(pages.__file__).parents[1]
    found = {
        (f"{path.parts[-3]}/{path.name}", id_): set(_kinds(on))
        for path in package.rglob("templates/*.html")
        for id_, on in _REGION.findall(path.read_text())
    }
    assert found == {part: set(why) for part, why in FOLLOWED.items()}


def test_followed_kinds_are_announced() -> None:
    followed = {kind.partition(":")[0] for why in FOLLOWED.values() for kind in why}
    told_of = {kind.__name__ for kind in every_kind() if kind.notify}
    assert followed <= told_of | {"HomeStep"}


def _kinds(on: str) -> list[str]:
    return re.findall(r"\w+(?::\{\{.*?\}\})?", on)
