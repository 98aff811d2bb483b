"""What pages say to the script that keeps them up to date."""

import re
from pathlib import Path

import pytest

from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.web import pages
from tests.home import Home
from tests.pages import see

PAGES = ("/", "/stock", "/places", "/wishes", "/family", "/list")
KINDS = {
    "InventoryItem",
    "Invitation",
    "Member",
    "NFCUrl",
    "Notification",
    "ShoppingListItem",
    "StorageLocation",
    "Store",
    "Suggestion",
}
NO_RECORDS = {"HomeStep"}
"""What is told of besides."""
_REGION = re.compile(r'<live-region id="([^"]+)" data-on="([^"]+)"')


@pytest.mark.parametrize("path", PAGES)
async def test_each_page_of_the_household_has_parts_that_follow(home: Home, path: str) -> None:
    kid = await home.with_member("kid", "suggester")
    for who in (home.admin, kid):
        shown = await see(who, path)
        found = _REGION.findall(shown)
        assert found or "<shopping-list" in shown, "the list is drawn by the phone"
        assert len({id_ for id_, _ in found}) == len(found)


async def test_a_page_knows_whether_an_index_may_be_behind(home: Home) -> None:
    embedded = isinstance(home.running.db.engine, Sqlite)
    assert ("data-lags" in await see(home.admin, "/stock")) is not embedded


def test_the_kinds_that_pages_follow_are_told_of() -> None:
    templates = Path(pages.__file__).parents[1].glob("*/templates/*.html")
    found = [kinds for each in templates for _, kinds in _REGION.findall(each.read_text())]
    named = {kind.partition(":")[0] for kinds in found for kind in kinds.split(" ")}
    assert named
    assert {kind for kind in named if kind.isalpha()} <= KINDS | NO_RECORDS
