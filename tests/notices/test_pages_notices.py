"""The notices page and its "Seen" button."""

import re
from html import unescape

import pytest

from homeshelf.inventory.store import key_of
from homeshelf.notices import pages
from tests.api_client import Shown, add_item, adjust, edit_item, get_open_notice
from tests.home import NOBODYS, Home, add_notices
from tests.pages import look, see, send, sent_from_elsewhere
from tests.running import Person
from tests.table.faulty_engines import warp


async def notice_of(home: Home, item: Shown) -> Shown:
    found = await get_open_notice(home, item)
    assert found is not None
    return found


def seen_path(notice: Shown) -> str:
    return f"/notices/{notice['notificationId']}/seen"


def text_of(shown: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", shown)).split())


def row_text(shown: str, notice: Shown) -> str:
    return shown.partition(f'id="{notice["notificationId"]}">')[2].partition("</li>")[0]


async def test_page_without_notices_shows_empty_state(home: Home) -> None:
    await add_item(home.admin, name="Tea", quantity=3, threshold=3)
    assert "No alerts yet" in await see(home.admin, "/notices")


async def test_seen_notice_stays_until_restock(home: Home) -> None:
    tea = await add_item(home.admin, name="Tea", quantity=2, threshold=3)
    notice = await notice_of(home, tea)
    shown = await see(home.admin, "/notices")
    assert "Tea 2 left · alert below 3 · just now Dismiss" in text_of(row_text(shown, notice))
    assert f'href="/stock/{tea["itemId"]}"' in row_text(shown, notice)
    assert 'aria-label="Dismiss Tea"' in row_text(shown, notice)
    assert seen_path(notice) in shown
    answer = await send(home.admin, seen_path(notice))
    assert (answer.status_code, answer.headers["location"]) == (303, "/notices?said=seen")
    assert (await notice_of(home, tea))["status"] == "acknowledged"
    shown = await see(home.admin, "/notices?said=seen")
    assert "The alert stays here until you’ve restocked." in shown
    assert seen_path(notice) not in shown
    assert '<span class="badge">Dismissed</span>' in row_text(shown, notice)
    assert (await send(home.admin, seen_path(notice))).headers["location"].endswith("said=seen")


async def test_open_notice_shows_current_quantity(home: Home) -> None:
    tea = await add_item(home.admin, name="Tea", quantity=2, threshold=3)
    notice = await notice_of(home, tea)
    await adjust(home.admin, tea, -1)
    shown = text_of(row_text(await see(home.admin, "/notices"), notice))
    assert shown == "🍵 Tea 1 left · alert below 3 · just now Dismiss"
    await adjust(home.admin, tea, -1)
    await edit_item(home.admin, tea, name="Green tea", threshold=5)
    shown = text_of(row_text(await see(home.admin, "/notices"), notice))
    assert shown == "🍵 Green tea All gone · alert below 5 · just now Dismiss"


async def test_resolved_notice_shows_past_text(home: Home) -> None:
    tea = await add_item(home.admin, name="Tea", quantity=2, threshold=3)
    notice = await notice_of(home, tea)
    await adjust(home.admin, tea, 1)
    late = await send(home.admin, seen_path(notice))
    assert late.headers["location"] == "/notices?said=enough"
    assert "You’ve already restocked this." in await see(home.admin, "/notices?said=enough")
    await home.admin.delete(f"/items/{tea['itemId']}")
    shown = row_text(await see(home.admin, "/notices"), notice)
    assert text_of(shown) == "🍵 Tea ran low just now, restocked just now"
    assert "/stock/" not in shown


async def test_children_read_notices_and_anonymous_clients_do_not(
    home: Home, kid: Person, neighbour: Person
) -> None:
    tea = await add_item(home.admin, name="Tea", quantity=2, threshold=3)
    notice = await notice_of(home, tea)
    shown = await see(kid, "/notices")
    assert text_of(row_text(shown, notice)) == "🍵 Tea 2 left · alert below 3 · just now new"
    assert seen_path(notice) not in shown
    assert (await send(kid, seen_path(notice))).status_code == 403
    assert "Tea" not in await see(neighbour, "/notices")
    assert (await send(neighbour, seen_path(notice))).status_code == 404
    assert (await send(home.admin, seen_path({"notificationId": NOBODYS}))).status_code == 404
    assert await sent_from_elsewhere(home.admin, seen_path(notice)) == 403
    assert (await notice_of(home, tea))["status"] == "active"


async def test_older_notices_are_on_next_page(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PAGE_SIZE", 2)
    names = ["Tea", "Rice", "Salt"]
    for name in names:
        await add_item(home.admin, name=name, quantity=0, threshold=1)
    first = await see(home.admin, "/notices")
    assert ("Salt" in first, "Rice" in first, "Tea" in first) == (True, True, False)
    (way,) = re.findall(r'href="(/notices\?before=[^"]+)"', first)
    second = await see(home.admin, way)
    assert ("Salt" in second, "Rice" in second, "Tea" in second) == (False, False, True)
    assert "Older alerts" not in second
    assert "Salt" in await see(home.admin, "/notices?before=nonsense")


async def test_page_shows_fifty_notices(home: Home) -> None:
    await add_notices(home, *(("resolved", f"2025-01-01T10:00:{n:02}.000Z") for n in range(51)))
    page = await look(home.admin, "/notices")
    assert page.title == "Alerts · Homeshelf"
    assert page.words.count("ran low") == 50
    (older,) = [link for link in page.links if link.startswith("/notices?before=")]
    assert (await look(home.admin, older)).words.count("ran low") == 1


async def test_notice_of_unreadable_item_hides_no_other_notice(home: Home) -> None:
    tea, salt = [await add_item(home.admin, name=name, threshold=1) for name in ("Tea", "Salt")]
    await warp(home.running.db, key_of(home.family_id, tea["itemId"]), quantity="many")
    page = await look(home.admin, "/notices")
    assert page.in_order("Salt", "All gone", "Tea", "ran low")
    assert f"/stock/{salt['itemId']}" in page.links


async def test_home_and_menu_link_to_notices(home: Home) -> None:
    await add_item(home.admin, name="Tea", quantity=0, threshold=1)
    assert (await see(home.admin, "/")).count('href="/notices"') == 2
