"""Descriptions and addresses on the page of places."""

import pytest

from tests.api_client import ID_OF, Shown, add_place, get_all_pages
from tests.home import Home
from tests.pages import see, send

EXTRA = {"locations": "description", "stores": "address"}
KINDS = pytest.mark.parametrize("kind", list(EXTRA))


def path_of(kind: str, place: Shown) -> str:
    return f"/places/{kind}/{place[ID_OF[kind]]}"


async def only_place(home: Home, kind: str) -> Shown:
    (place,) = await get_all_pages(home.admin, f"/{kind}", 100)
    return place


@KINDS
async def test_new_place_with_details_is_saved(home: Home, kind: str) -> None:
    extra = EXTRA[kind]
    shown = await see(home.admin, "/places")
    form = shown.partition(f'action="/places/{kind}"')[2].partition("</form>")[0]
    assert f'name="{extra}"' in form
    answer = await send(home.admin, f"/places/{kind}", name="Cellar", **{extra: "Mill Lane 4"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/places")
    place = await only_place(home, kind)
    assert (place["name"], place[extra]) == ("Cellar", "Mill Lane 4")
    assert "<small>Mill Lane 4</small>" in await see(home.admin, "/places")


@KINDS
async def test_details_are_changed_and_cleared(home: Home, kind: str) -> None:
    extra = EXTRA[kind]
    place = await add_place(home.admin, kind, "Cellar", **{extra: "Mill Lane 4"})
    shown = await see(home.admin, "/places")
    form = shown.partition(f'action="{path_of(kind, place)}"')[2].partition("</form>")[0]
    assert 'value="Mill Lane 4"' in form
    path = path_of(kind, place)
    await send(home.admin, path, version=1, name="Vault", **{extra: "Below"})
    place = await only_place(home, kind)
    assert (place["name"], place[extra]) == ("Vault", "Below")
    await send(home.admin, path, version=place["version"], name="Vault", **{extra: ""})
    assert (await only_place(home, kind))[extra] is None


@KINDS
async def test_refused_values_stay_in_their_fields(home: Home, kind: str) -> None:
    extra = EXTRA[kind]
    place = await add_place(home.admin, kind, "Cellar")
    other = await add_place(home.admin, kind, "Attic")
    typed = {extra: "Up there", "version": other["version"]}
    taken = await send(home.admin, path_of(kind, other), name="cellar", **typed)
    assert "You already have one called that." in taken.text
    for answer in (
        taken,
        await send(home.admin, path_of(kind, other), name="x" * 101, **typed),
        await send(home.admin, path_of(kind, other), name="", **typed),
    ):
        assert answer.status_code == 400
        assert f'id="name-{other[ID_OF[kind]]}-wrong"' in answer.text
        assert answer.text.count('value="Up there"') == 1
        assert answer.text.count('class="place-row" open') == 1
    long = await send(home.admin, path_of(kind, place), version=1, name="C", **{extra: "x" * 201})
    assert "Use at most 200 characters." in long.text
    assert f'id="{extra}-{place[ID_OF[kind]]}-wrong"' in long.text
    new = await send(home.admin, f"/places/{kind}", name="Shed", **{extra: "x" * 201})
    assert new.status_code == 400
    assert f'id="new-{kind[:-1]}-{extra}-wrong"' in new.text
    assert [each["version"] for each in await get_all_pages(home.admin, f"/{kind}", 100)] == [1, 1]
