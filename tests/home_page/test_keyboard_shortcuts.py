"""Test the page of keyboard shortcuts."""

import re

from tests.home import Home
from tests.pages import look
from tests.running import Person, RunningApp


async def test_menu_links_to_keyboard_shortcuts_for_every_role(home: Home, kid: Person) -> None:
    for person in (home.admin, kid):
        assert "/keys" in (await look(person, "/")).links
        page = await look(person, "/keys")
        assert page.title == "Keyboard shortcuts · Homeshelf"
        assert page.in_order("Keyboard shortcuts", "Search", "Add an item")
        assert page.in_order(
            "Space Tick an item on the list", "Alt ↑ ↓ Move an item", "Esc Close", "? Show"
        )
        assert re.search(r'<h2 id="keys-title"[^>]*>\s*Keyboard shortcuts', page.text)


async def test_keyboard_shortcuts_need_no_family(running: RunningApp) -> None:
    newcomer = await running.person("newcomer")
    assert "Search" in (await look(newcomer, "/keys")).words
