"""The page that asks before a place is deleted."""

import pytest

from tests.api_client import ID_OF, add_item, add_place
from tests.home import NOBODYS, Home
from tests.pages import see, send

MORE = {"locations": "description", "stores": "address"}
NOTHING = {
    "locations": "No item in your stock is kept here.",
    "stores": "No item in your stock or on your list is bought here.",
}
kinds = pytest.mark.parametrize("kind", ["locations", "stores"])


@kinds
async def test_delete_page_is_for_family_admins_only(home: Home, kind: str) -> None:
    place = await add_place(home.admin, kind, "Attic")
    path = f"/places/{kind}/{place[ID_OF[kind]]}/delete"
    kid = await home.with_member("kid", "suggester")
    stranger = await home.running.person("stranger")
    await stranger.post("/families", {"name": "Next door"})
    await see(kid, path, 403)
    await see(stranger, path, 404)
    await see(home.admin, f"/places/{kind}/{NOBODYS}/delete", 404)


@kinds
async def test_delete_page_describes_loss_and_deletes_nothing(home: Home, kind: str) -> None:
    words = {MORE[kind]: "Behind the chimney"}
    place = await add_place(home.admin, kind, "Attic", **words)
    path = f"/places/{kind}/{place[ID_OF[kind]]}/delete"
    assert f'href="{path}"' in await see(home.admin, "/places")
    asked = await see(home.admin, path)
    assert "<title>Delete Attic? · Homeshelf</title>" in asked
    assert "<h1>Delete Attic?</h1>" in asked
    assert NOTHING[kind] in asked
    assert "This deletes Attic and its note (“Behind the chimney”)." in asked
    assert f'method="post" action="{path}"' in asked
    assert (await home.admin.get(f"/{kind}")).json()["items"] == [place]
    answer = await send(home.admin, path)
    assert (answer.status_code, answer.headers["location"]) == (303, "/places")
    assert (await home.admin.get(f"/{kind}")).json()["items"] == []
    await see(home.admin, path, 404)


@kinds
async def test_delete_page_of_plain_place_names_no_other_loss(home: Home, kind: str) -> None:
    place = await add_place(home.admin, kind, "Attic")
    asked = await see(home.admin, f"/places/{kind}/{place[ID_OF[kind]]}/delete")
    assert "<p>This deletes Attic.</p>" in asked


@kinds
async def test_delete_page_of_store_mentions_its_order(home: Home, kind: str) -> None:
    place = await add_place(home.admin, kind, "Market")
    asked = await see(home.admin, f"/places/{kind}/{place[ID_OF[kind]]}/delete")
    assert ("The order you set for this shop’s list is deleted too." in asked) is (kind == "stores")


@kinds
async def test_delete_page_of_used_place_lists_references_without_button(
    home: Home, kind: str
) -> None:
    place = await add_place(home.admin, kind, "Attic")
    id_ = place[ID_OF[kind]]
    named = {"locations": {"locationId": id_}, "stores": {"alternateStoreIds": [id_]}}[kind]
    await add_item(home.admin, **named)
    asked = await see(home.admin, f"/places/{kind}/{id_}/delete")
    assert "<h1>Attic can’t leave yet</h1>" in asked
    assert "Still used by 1 item in your stock. Change those first." in asked
    assert f'action="/places/{kind}/{id_}/delete"' not in asked
