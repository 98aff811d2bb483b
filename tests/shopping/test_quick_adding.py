"""Adding by typing, without a script: what does not fit is said, and stays in the field."""

import pytest

from tests.cupboard import every_page
from tests.home import Home
from tests.pages import see, send
from tests.running import Person


async def test_what_is_typed_is_on_the_list(home: Home) -> None:
    answer = await send(home.admin, "/list/add", text="2 oat milk")
    assert (answer.status_code, answer.headers["location"]) == (303, "/list")
    (entry,) = await every_page(home.admin, "/shopping-list", 100)
    assert (entry["name"], entry["quantity"]) == ("oat milk", 2)


@pytest.mark.parametrize("text", ["m" * 101, f"2 {'m' * 101}", "m" * 121, " ", "\u200b"])
async def test_nothing_is_cut_silently(home: Home, text: str) -> None:
    answer = await send(home.admin, "/list/add", text=text)
    assert answer.status_code == 400
    assert f'value="{text}"' in answer.text
    assert 'id="wrong"' in answer.text
    assert await every_page(home.admin, "/shopping-list", 100) == []
    by_script = await home.admin.client.post(
        "/list/add",
        data={"text": text},
        headers={"Origin": "http://home.test", "Accept": "application/json"},
    )
    assert by_script.status_code == 400
    assert "letters" in by_script.json()["detail"]


async def test_a_hundred_letters_and_how_many_fit(home: Home) -> None:
    await send(home.admin, "/list/add", text=f"999 {'m' * 100}")
    (entry,) = await every_page(home.admin, "/shopping-list", 100)
    assert (entry["name"], entry["quantity"]) == ("m" * 100, 999)


async def test_a_child_types_nothing_onto_the_list(home: Home, kid: Person) -> None:
    assert (await send(kid, "/list/add", text="sweets")).status_code == 403
    assert 'action="/list/add"' not in await see(kid, "/list")
    assert await every_page(home.admin, "/shopping-list", 100) == []
