"""The page that confirms the deletion of an item."""

from tests.api_client import Shown, add_item, adjust, get_item, set_archived
from tests.home import NOBODYS, Home
from tests.pages import see, send


def page_of(item: Shown) -> str:
    return f"/stock/{item['itemId']}/delete"


async def test_only_family_admins_see_delete_page(home: Home) -> None:
    rice = await add_item(home.admin)
    kid = await home.with_member("kid", "suggester")
    stranger = await home.running.person("stranger")
    await stranger.post("/families", {"name": "Next door"})
    await see(kid, page_of(rice), 403)
    await see(stranger, page_of(rice), 404)
    await see(home.admin, f"/stock/{NOBODYS}/delete", 404)


async def test_delete_page_lists_lost_records(home: Home) -> None:
    kid = await home.with_member("kid", "suggester")
    rice, oats = await add_item(home.admin, quantity=1200), await add_item(home.admin, name="Oats")
    tags = [
        (await home.admin.post(f"/items/{rice['itemId']}/nfc-urls", {})).json()["urlId"]
        for _ in range(3)
    ]
    await home.admin.delete(f"/nfc-urls/{tags[0]}")
    await home.admin.post("/shopping-list", {"itemId": rice["itemId"]})
    wish = {"type": "add_to_shopping", "itemId": rice["itemId"]}
    await kid.post("/suggestions", wish)

    asked = await see(home.admin, page_of(rice))
    assert "Delete Rice permanently?" in asked
    assert "This deletes Rice, the count of 1,200 and the history." in asked
    assert "2 tags will stop working." in asked
    assert "It stays on the list, as plain text." in asked
    assert "1 wish for this can only be answered with no." in asked
    assert not any(tag in asked for tag in tags)
    bare = await see(home.admin, page_of(oats))
    assert "the count of 0 and the history" in bare
    for nothing in ("tag will", "tags will", "stays on the list", "wish for this"):
        assert nothing not in bare


async def test_delete_page_deletes_nothing(home: Home) -> None:
    rice = await add_item(home.admin)
    await set_archived(home.admin, rice, "archive")
    assert f'href="{page_of(rice)}"' in await see(home.admin, f"/stock/{rice['itemId']}")
    assert f'method="post" action="{page_of(rice)}"' in await see(home.admin, page_of(rice))
    unanswered = await send(home.admin, page_of(rice))
    assert "Delete Rice permanently?" in unanswered.text
    version = (await get_item(home.admin, rice))["version"]
    answer = await send(home.admin, page_of(rice), version=version)
    assert (answer.status_code, answer.headers["location"]) == (303, "/stock")
    await see(home.admin, page_of(rice), 404)


async def test_delete_asks_again_after_item_change(home: Home) -> None:
    rice = await add_item(home.admin)
    await adjust(home.admin, rice, 3)
    answer = await send(home.admin, page_of(rice), version=rice["version"])
    assert answer.status_code == 409
    assert "Someone else changed this. Check it first." in answer.text
    assert "the count of 3" in answer.text
    now = await get_item(home.admin, rice)
    assert f'name="version" value="{now["version"]}"' in answer.text
    assert (await send(home.admin, page_of(rice), version=now["version"])).status_code == 303
