"""The tag pages for admins."""

import re
from datetime import timedelta

import httpx
import pytest
import segno

from homeshelf import clock
from homeshelf.taps.model import NFCUrl, WeekOfTaps, has_jump
from homeshelf.taps.store import tags_of_item
from homeshelf.taps.use_counts import monday_of
from homeshelf.web.drawings import qr_code
from tests import pages
from tests.api_client import Shown, add_item, set_archived
from tests.home import Home
from tests.moment import DAY
from tests.running import Person
from tests.taps.tags import change, look, make_tag, path_of, rotate, stored

OURS = {"Origin": "http://home.test", "Accept": "text/html"}
MEANING = "Anyone with this link can see this item and change its count"
JUMP = "much more than usual"


async def send(person: Person, path: str, **typed: str) -> httpx.Response:
    return await person.client.post(path, data=typed, headers=OURS)


async def tags_of(home: Home, item: Shown) -> list[NFCUrl]:
    tags = await home.running.db.all(tags_of_item(home.family_id, item["itemId"]))
    return sorted(tags, key=lambda tag: tag.created_at)


def weeks_of(home: Home, tag: Shown, ago: int, count: int) -> WeekOfTaps:
    return WeekOfTaps(
        family_id=home.family_id,
        item_id=tag["itemId"],
        url_id=tag["urlId"],
        week=monday_of(clock.now() - timedelta(weeks=ago)),
        count=count,
        ttl=clock.seconds() + 90 * DAY,
    )


async def test_form_creates_tag_with_label(home: Home, towels: Shown) -> None:
    made = await send(home.admin, path_of(towels), label="pantry")
    assert (made.status_code, made.headers["location"]) == (303, f"{path_of(towels)}?said=made")
    (tag,) = await tags_of(home, towels)
    assert (tag.label, tag.is_active, tag.created_by) == ("pantry", True, home.admin.member_id)


async def test_tag_shows_qr_code_and_warning(home: Home, towels: Shown, tag: Shown) -> None:
    await make_tag(home.admin, towels, label="fridge")
    shown = await look(home.admin, path_of(towels))
    assert tag["url"] == f"http://home.test/t/{tag['urlId']}"
    assert f'data-url="{tag["url"]}"' in shown
    assert f' data-from="{path_of(towels)}">' in shown
    assert f'value="{tag["url"]}"' in shown
    assert str(qr_code(tag["url"])) in shown
    assert shown.count(MEANING) == 2


async def test_each_tag_has_name_and_forms(home: Home, towels: Shown, tag: Shown) -> None:
    path = path_of(towels)
    assert "Print label" in (await pages.look(home.admin, path)).words
    fridge = await make_tag(home.admin, towels, label="fridge")
    page = await pages.look(home.admin, path)
    assert page.in_order(
        "Paper Towels", "Tags for Paper Towels", "Print 2 labels", "fridge", "pantry"
    )
    assert f"/tags/print?item={towels['itemId']}" in page.links
    assert f"/stock/{towels['itemId']}" in page.links
    assert pages.led_to(await page.send(f"{path}/{tag['urlId']}/label", label="cellar"))
    assert pages.led_to(await page.send(f"{path}/{fridge['urlId']}/revoke"))
    assert pages.led_to(await page.send(f"{path}/{tag['urlId']}/rotate"))
    assert [(each.label, each.is_active) for each in await tags_of(home, towels)] == [
        ("cellar", False),
        ("fridge", False),
        ("cellar", True),
    ]


def test_qr_code_contains_address() -> None:
    link = "https://home.test/t/2gSZw8ZQPb7D5kN3X8mQ7a"
    drawn = re.findall(r'd="([^"]+)"', segno.make(link, error="m").svg_inline(border=4))
    assert re.findall(r'd="([^"]+)"', qr_code(link)) == drawn


@pytest.mark.usefixtures("tag")
async def test_new_tag_is_open_after_creation(home: Home, towels: Shown) -> None:
    opened = r"<details id=\"code-\w+\"( open)?><summary class=\"button\">"
    assert re.findall(opened, await look(home.admin, path_of(towels))) == [""]
    await make_tag(home.admin, towels)
    for said in ("made", "rotated"):
        shown = await look(home.admin, f"{path_of(towels)}?said={said}")
        assert re.findall(opened, shown) == [" open", ""]


async def test_form_changes_and_removes_label(home: Home, towels: Shown, tag: Shown) -> None:
    path = f"{path_of(towels)}/{tag['urlId']}/label"
    assert (await send(home.admin, path, label="fridge")).status_code == 303
    assert (await stored(home, tag)).label == "fridge"
    assert "fridge" in await look(home.admin, path_of(towels))
    await send(home.admin, path, label="")
    assert (await stored(home, tag)).label is None


async def test_invalid_label_is_reported_at_its_field(
    home: Home, towels: Shown, tag: Shown
) -> None:
    long = "x" * 51
    new = (await send(home.admin, path_of(towels), label=long)).text
    old = (await send(home.admin, f"{path_of(towels)}/{tag['urlId']}/label", label=long)).text
    own = f"label-{(await stored(home, tag)).short_hash}"
    for shown, wrong, right in ((new, "label", own), (old, own, "label")):
        assert f'id="{wrong}-wrong">Use at most 50 characters.<' in shown
        assert f'id="{right}-wrong"' not in shown
        assert shown.count(f'value="{long}"') == shown.count(" data-typed>") == 1
    where = "</svg> Place</summary>"
    unfolded = [piece.rpartition("<details")[2] for piece in old.split(where)[:-1]]
    assert [piece.partition(">")[0].endswith(" open") for piece in unfolded] == [True]
    assert ' open><summary class="button button-quiet">' not in new
    assert [each.label for each in await tags_of(home, towels)] == ["pantry"]


async def test_rotation_page_keeps_label(home: Home, towels: Shown, tag: Shown) -> None:
    assert "stops working right away, for everyone" in await look(home.admin, path_of(towels))
    path = f"{path_of(towels)}/{tag['urlId']}/rotate"
    assert (await send(home.admin, path)).headers["location"].endswith("?said=rotated")
    new = next(each for each in await tags_of(home, towels) if each.is_active)
    assert (new.url_id != tag["urlId"], new.label) == (True, "pantry")
    again = await send(home.admin, path)
    assert again.headers["location"].endswith("?said=meanwhile")
    assert len(await tags_of(home, towels)) == 2
    shown = await look(home.admin, again.headers["location"])
    assert "Someone else turned off that tag" in shown
    assert tag["urlId"] not in shown
    ended = shown.split("1 tag that no longer works")[1]
    assert "pantry" in ended
    assert "<small>Turned off just now</small>" in ended


async def test_tags_page_stops_tag(home: Home, towels: Shown, tag: Shown) -> None:
    stopped = await send(home.admin, f"{path_of(towels)}/{tag['urlId']}/revoke")
    assert stopped.headers["location"].endswith("?said=stopped")
    dead = await stored(home, tag)
    assert (dead.is_active, dead.rotated_by) == (False, home.admin.member_id)


async def test_item_page_stops_tag(home: Home, towels: Shown, tag: Shown) -> None:
    other = await make_tag(home.admin, towels, label="fridge")
    shown = await look(home.admin, f"/stock/{towels['itemId']}")
    assert "stops working right away, for everyone" in shown
    mark = (await stored(home, tag)).short_hash
    form = rf'action="{path_of(towels)}/stop">\s*<input type="hidden" name="tag" value="{mark}">'
    assert re.search(form, shown)
    await send(home.admin, f"{path_of(towels)}/stop", tag=mark)
    assert not (await stored(home, tag)).is_active
    assert (await stored(home, other)).is_active
    assert "fridge" in await look(home.admin, f"/stock/{towels['itemId']}")
    assert mark not in await look(home.admin, f"/stock/{towels['itemId']}")


async def test_unknown_hash_stops_no_tag(home: Home, towels: Shown, tag: Shown) -> None:
    rice = await add_item(home.admin, name="Rice")
    mark = (await stored(home, tag)).short_hash
    for item, sent in ((towels, ""), (towels, tag["urlId"]), (rice, mark)):
        assert (await send(home.admin, f"{path_of(item)}/stop", tag=sent)).status_code == 404
    assert (await stored(home, tag)).is_active


async def test_item_page_contains_no_address(
    home: Home, kid: Person, towels: Shown, tag: Shown
) -> None:
    """Phones store the page for offline use."""
    for person in (home.admin, kid):
        assert tag["urlId"] not in await look(person, f"/stock/{towels['itemId']}")


async def test_only_admins_use_tag_pages(
    home: Home, kid: Person, neighbour: Person, towels: Shown, tag: Shown
) -> None:
    mark = (await stored(home, tag)).short_hash
    path, own = path_of(towels), f"{path_of(towels)}/{tag['urlId']}"
    for person, status in ((kid, 403), (neighbour, 404)):
        refused = [
            await person.client.get(path, headers=OURS),
            await send(person, path, label="theirs"),
            await send(person, f"{path}/stop", tag=mark),
            await send(person, f"{own}/label", label="theirs"),
            await send(person, f"{own}/rotate"),
            await send(person, f"{own}/revoke"),
        ]
        assert {answer.status_code for answer in refused} == {status}
    for page in ("/tags", f"/tags/print?tag={mark}", f"/tags/print?item={towels['itemId']}"):
        assert (await kid.client.get(page, headers=OURS)).status_code == 403
        assert "pantry" not in await look(neighbour, page)
    assert [each.label for each in await tags_of(home, towels)] == ["pantry"]
    assert (await stored(home, tag)).is_active
    assert '"/tags"' not in await look(kid, "/stock")
    assert tag["urlId"] not in await look(kid, f"/stock/{towels['itemId']}")
    assert '"/tags"' in await look(home.admin, "/stock")


async def test_cross_site_forms_are_refused(home: Home, towels: Shown, tag: Shown) -> None:
    elsewhere = {**OURS, "Origin": "http://elsewhere.test"}
    own = f"{path_of(towels)}/{tag['urlId']}"
    mark = (await stored(home, tag)).short_hash
    own_paths = [f"{own}/{verb}" for verb in ("label", "rotate", "revoke")]
    for path in (path_of(towels), f"{path_of(towels)}/stop", *own_paths):
        answer = await home.admin.client.post(
            path, data={"label": "x", "tag": mark}, headers=elsewhere
        )
        assert answer.status_code == 403
    assert [(each.label, each.is_active) for each in await tags_of(home, towels)] == [
        ("pantry", True)
    ]


async def test_tag_under_another_item_returns_404(home: Home, towels: Shown, tag: Shown) -> None:
    rice = await add_item(home.admin, name="Rice")
    assert tag["urlId"] not in await look(home.admin, path_of(rice))
    for verb in ("label", "rotate", "revoke"):
        path = f"{path_of(rice)}/{tag['urlId']}/{verb}"
        assert (await send(home.admin, path, label="x")).status_code == 404
    assert [(each.label, each.is_active) for each in await tags_of(home, towels)] == [
        ("pantry", True)
    ]


async def test_archived_item_page_says_tags_are_inactive(
    home: Home, towels: Shown, tag: Shown
) -> None:
    await set_archived(home.admin, towels, "archive")
    shown = await look(home.admin, path_of(towels))
    assert "Its tags won’t work" in shown
    assert "/rotate" not in shown
    assert "Create a tag" not in shown
    assert f"{tag['urlId']}/revoke" in shown


@pytest.mark.usefixtures("moment")
async def test_page_shows_use_count_and_last_use(home: Home, towels: Shown, tag: Shown) -> None:
    other = await make_tag(home.admin, towels, label="fridge")
    shown = await look(home.admin, path_of(towels))
    assert shown.count("Not used yet") == 2
    assert "chart-weeks" not in shown
    await change(home, tag, last_accessed_at="2024-11-01T09:00:00.000Z", access_count=1234)
    weeks = [weeks_of(home, tag, ago, count) for ago, count in ((0, 7), (3, 5), (11, 3), (12, 99))]
    for week in [*weeks, weeks_of(home, other, 1, 88)]:
        await home.running.db.put(week)
    shown = await look(home.admin, path_of(towels))
    assert "Last used 3 hours ago, 1,234 times in total." in shown
    of_all = await look(home.admin, "/tags")
    assert "<small>Last used 3 hours ago</small>" in of_all
    assert "<small>Not used yet</small>" in of_all
    (told,) = re.findall(r'aria-label="Uses: ([^"]*)"', shown)
    assert told == ("3 in the week of 12 Aug, 5 in the week of 7 Oct, 7 in the week of 28 Oct")
    (drawn,) = re.findall(r'<svg class="chart chart-weeks.*?</svg>', shown)
    assert re.findall(r">([^<>]+)</text>", drawn) == ["3", "5", "7", "12 Aug", "this week"]
    bars = re.findall(r'<rect[^>]* x="([\d.]+)"[^>]* width="([\d.]+)"', drawn)
    middles = [float(x) + float(width) / 2 for x, width in bars]
    numbers = re.findall(r'<text x="([\d.]+)" y="[-\d.]+" text-anchor="middle"', drawn)
    above = [middles[0], middles[8], middles[11]]
    assert [float(x) for x in numbers] == pytest.approx(above, abs=0.1)
    tall = [float(found) for found in re.findall(r'height="([\d.]+)" rx', drawn)]
    assert len(tall) == 12
    assert tall.index(max(tall)) == 11
    assert "Used 3 hours ago" in await look(home.admin, f"/stock/{towels['itemId']}")


@pytest.mark.usefixtures("moment")
async def test_sudden_use_of_tag_is_highlighted(
    home: Home, kid: Person, towels: Shown, tag: Shown
) -> None:
    rice = await add_item(home.admin, name="Rice")
    for each in (tag, await make_tag(home.admin, rice)):
        await change(home, each, created_at="2024-10-11T12:00:00.000Z")
    item = f"/stock/{towels['itemId']}"
    await home.running.db.put(weeks_of(home, tag, 0, 19))
    assert JUMP not in await look(home.admin, item)
    await home.running.db.put(weeks_of(home, tag, 0, 20))
    for path in (item, path_of(towels)):
        assert JUMP in await look(home.admin, path)
    for person, path in ((home.admin, f"/stock/{rice['itemId']}"), (kid, item)):
        assert JUMP not in await look(person, path)
    await rotate(home.admin, tag)
    assert JUMP not in await look(home.admin, item)


@pytest.mark.usefixtures("moment")
async def test_first_week_of_tag_is_no_jump(home: Home, towels: Shown, tag: Shown) -> None:
    await home.running.db.put(weeks_of(home, tag, 0, 500))
    assert JUMP not in await look(home.admin, path_of(towels))
    await change(home, tag, created_at="2024-10-27T12:00:00.000Z")
    await home.running.db.put(weeks_of(home, tag, 1, 125))
    assert JUMP not in await look(home.admin, path_of(towels))
    await home.running.db.put(weeks_of(home, tag, 0, 501))
    assert JUMP in await look(home.admin, path_of(towels))


@pytest.mark.parametrize(
    ("weeks", "expected"),
    [
        ([], False),
        ([500], False),
        ([0, 0, 0, 19], False),
        ([0, 0, 0, 20], True),
        ([10, 10, 10, 40], False),
        ([10, 10, 10, 41], True),
    ],
)
def test_jump_requires_far_more_than_average(weeks: list[int], expected: bool) -> None:
    assert has_jump(weeks) is expected
