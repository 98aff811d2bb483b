"""An item's tags, on pages for admins."""

import pytest

from homeshelf.taps.model import jumps
from homeshelf.taps.store import tags_of_item
from tests.cupboard import Shown
from tests.home import Home
from tests.house import Person

OURS = {"Origin": "http://home.test", "Accept": "text/html"}


async def test_admins_make_name_and_stop_tags(home: Home, towels: Shown) -> None:
    path, client = f"/stock/{towels['itemId']}/tags", home.admin.client
    made = await client.post(path, data={"label": "pantry"}, headers=OURS)
    assert (made.status_code, made.headers["location"]) == (303, path)
    (tag,) = await home.house.db.all(tags_of_item(home.family_id, towels["itemId"]))
    await client.post(f"{path}/{tag.url_id}/label", data={"label": "fridge"}, headers=OURS)
    shown = await client.get(path, headers=OURS)
    assert "fridge" in shown.text
    assert f"http://home.test/t/{tag.url_id}" in shown.text
    assert "Whoever has an address can see this item and change its count" in shown.text
    assert "fridge" in (await client.get(f"{path}/print?paper=Letter", headers=OURS)).text
    await client.post(f"{path}/{tag.url_id}/rotate", headers=OURS)
    tags = await home.house.db.all(tags_of_item(home.family_id, towels["itemId"]))
    (new,) = [each for each in tags if each.is_active]
    assert (new.url_id != tag.url_id, new.label) == (True, "fridge")
    assert f"tags/{new.url_id}/revoke" in (await client.get(path[:-5], headers=OURS)).text
    await client.post(f"{path}/{new.url_id}/revoke", headers=OURS)
    tags = await home.house.db.all(tags_of_item(home.family_id, towels["itemId"]))
    assert [each.is_active for each in tags] == [False, False]


async def test_a_child_sees_no_address(kid: Person, tag: Shown) -> None:
    shown = await kid.client.get(f"/stock/{tag['itemId']}", headers=OURS)
    assert shown.status_code == 200
    assert tag["urlId"] not in shown.text
    assert (await kid.client.get(f"/stock/{tag['itemId']}/tags", headers=OURS)).status_code == 403


@pytest.mark.parametrize(
    ("weeks", "expected"),
    [
        ([0, 0, 0, 19], False),
        ([0, 0, 0, 20], True),
        ([10, 10, 10, 40], False),
        ([10, 10, 10, 41], True),
    ],
)
def test_a_sudden_jump_is_pointed_out(weeks: list[int], expected: bool) -> None:
    assert jumps(weeks) is expected
