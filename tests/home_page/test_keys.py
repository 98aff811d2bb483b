"""The page of the keys."""

import re

from tests.home import Home
from tests.pages import look
from tests.running import Person, RunningApp


async def test_everybody_who_is_signed_in_finds_it_in_the_menu(home: Home, kid: Person) -> None:
    for person in (home.admin, kid):
        assert "/keys" in (await look(person, "/")).links
        page = await look(person, "/keys")
        assert page.title == "Keyboard shortcuts · Homeshelf"
        assert page.in_order("Keyboard shortcuts", "Search", "Add an item")
        assert page.in_order(
            "Space Tick an item on the list", "Alt ↑ ↓ Move an item", "Esc Close", "? Show"
        )
        assert re.search(r'<h2 id="keys-title"[^>]*>\s*Keyboard shortcuts', page.text)


async def test_it_needs_no_family(running: RunningApp) -> None:
    newcomer = await running.person("newcomer")
    assert "Search" in (await look(newcomer, "/keys")).words
