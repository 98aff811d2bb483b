"""The label sheet and the choice of labels."""

import re
from typing import Any
from urllib.parse import quote

import pytest

from homeshelf.table import Page, Query
from homeshelf.web.drawings import qr_code
from tests.api_client import Shown, add_item, set_archived
from tests.home import Home
from tests.running import Person
from tests.taps.tags import change, look, make_tag, path_of, rotate, stored


async def labels_of(person: Person, question: str = "") -> list[tuple[str, str, str]]:
    """Return the name, label and code of each printed tag, in order."""
    shown = await look(person, f"/tags/print{question}")
    words = r'<strong>(.*?)</strong>(?:<span class="label-where">(.*?)</span>)?</p>'
    card = rf'<li class="label-card">(<svg.*?</svg>)<p><span class="picture.*?</span>{words}'
    return [(name, label, drawn) for drawn, name, label in re.findall(card, shown, re.DOTALL)]


@pytest.mark.usefixtures("tag")
async def test_labels_of_several_items_share_one_sheet(home: Home, towels: Shown) -> None:
    coffee = await add_item(home.admin, name="coffee <beans>")
    await make_tag(home.admin, coffee, label="machine")
    plain = await make_tag(home.admin, coffee)
    fridge = await make_tag(home.admin, towels, label="fridge")
    everything = await labels_of(home.admin)
    assert [(name, label) for name, label, _ in everything] == [
        ("coffee &lt;beans&gt;", ""),
        ("coffee &lt;beans&gt;", "machine"),
        ("Paper Towels", "fridge"),
        ("Paper Towels", "pantry"),
    ]
    chosen = [(await stored(home, each)).short_hash for each in (fridge, plain)]
    assert await labels_of(home.admin, f"?tag={chosen[0]}&tag={chosen[1]}&paper=Letter") == [
        ("coffee &lt;beans&gt;", "", str(qr_code(plain["url"]))),
        ("Paper Towels", "fridge", str(qr_code(fridge["url"]))),
    ]
    assert await labels_of(home.admin, f"?item={coffee['itemId']}") == everything[:2]
    assert (
        await labels_of(home.admin, f"?item={coffee['itemId']}&tag={chosen[0]}") == everything[:3]
    )
    assert await labels_of(home.admin, "?tag=unknown") == []


async def test_concurrently_revoked_tag_has_no_label(
    home: Home, tag: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = home.running.db.engine
    query = engine.query

    async def change_during_query(asked: Query[Any]) -> Page[Any]:
        found = await query(asked)
        if asked.index and str(asked.partition).endswith("#URLS"):
            monkeypatch.setattr(engine, "query", query)
            await rotate(home.admin, tag)
        return found

    monkeypatch.setattr(engine, "query", change_during_query)
    assert await labels_of(home.admin) == []
    assert len(await labels_of(home.admin)) == 1


async def test_paper_change_keeps_chosen_tags(home: Home, tag: Shown) -> None:
    mark, item_id = (await stored(home, tag)).short_hash, tag["itemId"]
    shown = await look(home.admin, f"/tags/print?tag={mark}&item={item_id}&paper=Letter")
    assert 'class="labels labels-letter"' in shown
    for paper in ("A4", "Letter"):
        assert f'href="?paper={paper}&amp;tag={mark}&amp;item={quote(item_id)}"' in shown
    assert 'class="labels labels-a4"' in await look(home.admin, "/tags/print?paper=tablecloth")


async def test_tag_list_shows_all_tags_without_addresses(
    home: Home, towels: Shown, tag: Shown
) -> None:
    shown = await look(home.admin, "/tags")
    mark = (await stored(home, tag)).short_hash
    assert f'<input type="checkbox" name="tag" value="{mark}"><span>pantry</span>' in shown
    assert f'href="{path_of(towels)}">Paper Towels</a>' in shown
    (group,) = re.findall('<fieldset class="section" aria-labelledby="([^"]+)"', shown)
    assert f' id="{group}">' in shown
    assert tag["urlId"] not in shown


async def test_inactive_tags_have_no_label(home: Home, tag: Shown) -> None:
    rice = await add_item(home.admin, name="Rice")
    await make_tag(home.admin, rice)
    new = await rotate(home.admin, tag)
    await set_archived(home.admin, rice, "archive")
    assert await labels_of(home.admin) == [("Paper Towels", "pantry", str(qr_code(new["url"])))]
    await home.admin.delete(f"/nfc-urls/{new['urlId']}")
    assert "none of these is in use" in await look(home.admin, "/tags/print")
    assert "No tags yet" in await look(home.admin, "/tags")


async def test_label_shows_current_item_name(home: Home, tag: Shown) -> None:
    await change(home, tag, item_name="as it was called before")
    assert [name for name, _, _ in await labels_of(home.admin)] == ["Paper Towels"]


async def test_number_of_chosen_labels_is_limited(home: Home, tag: Shown) -> None:
    mark = (await stored(home, tag)).short_hash
    for many, status in ((500, 200), (501, 400)):
        chosen = "&".join([f"tag={mark}"] * many)
        shown = await home.admin.client.get(f"/tags/print?{chosen}")
        assert shown.status_code == status
