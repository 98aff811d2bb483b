"""Test the pages that create, find and save a list."""

import re
from datetime import timedelta
from html import unescape

import pytest

from homeshelf import clock
from homeshelf.config.values import Rate
from homeshelf.shares.creation_pages import parse_typed_id
from homeshelf.shares.model import KeptList
from homeshelf.table import Database
from tests.home import Home
from tests.running import Person, RunningApp, running_app
from tests.shares.clients import (
    Guest,
    list_from_redirect,
    names_of,
    now,
    page_text,
    path_of,
    store_list,
)

HTML = "<script>alert(1)</script>"


@pytest.mark.usefixtures("moment")
async def test_anonymous_visitor_creates_a_list_on_one_page(running: RunningApp) -> None:
    guest = Guest(running)
    assert "set a passcode" in (await guest.get("/s/new")).text
    typed = "Tent\r\n\r\n- Torch \r\n* [ ] Rope\n• Map\n1. Pegs\n2 mats\n-5 degrees bag\n[x] Pan"
    answer = await guest.post(
        "/s/new",
        name=" Camping ",
        items=f"{typed}\n\u200b\n- \u2060",
        expiresInDays="7",
        viewPasscode="",
        adminPasscode="",
    )
    made = await list_from_redirect(running, answer)
    assert (made.shared.name, made.shared.manager_role) == ("Camping", None)
    assert made.shared.expires_at == "2024-11-08T12:00:00.000Z"
    assert names_of(made) == [
        "Tent", "Torch", "Rope", "Map", "Pegs", "2 mats", "-5 degrees bag", "Pan",
    ]  # fmt: skip
    assert "set-cookie" not in answer.headers


async def test_every_offered_lifetime_is_accepted(running: RunningApp) -> None:
    guest = Guest(running)
    offered = re.findall(r'<option value="(\d+)"', (await guest.get("/s/new")).text)
    assert offered == ["1", "7", "30", "90", "365"]
    for days in offered:
        await list_from_redirect(
            running, await guest.post("/s/new", name="Camping", expiresInDays=days)
        )


async def test_new_locked_list_is_open_to_its_maker_only(
    running: RunningApp,
) -> None:
    guest = Guest(running)
    form = {"name": "Camping", "items": "Tent", "viewPasscode": "see it", "adminPasscode": "change"}
    answer = await guest.post("/s/new", **form)
    made = await list_from_redirect(running, answer)
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "?" not in path_of(made)
    assert (await guest.get(path_of(made, "/settings"))).status_code == 200
    other = Guest(running)
    assert (await other.get(path_of(made))).status_code == 401
    opened_by = await other.post(path_of(made, "/unlock"), passcode="see it")
    assert opened_by.headers["location"] == path_of(made)
    assert "Tent" in (await other.get(path_of(made))).text
    assert (await other.get(path_of(made, "/settings"))).status_code == 403
    await other.post(path_of(made, "/unlock"), passcode="change")
    assert (await other.get(path_of(made, "/settings"))).status_code == 200


@pytest.mark.parametrize(
    ("form", "wrong"),
    [
        ({"name": ""}, "Enter a name of up to 200 characters."),
        ({"name": "x" * 201}, "Enter a name of up to 200 characters."),
        ({"items": "a\n" * 501}, "A list can have at most 500 items. This one has 501."),
        (
            {"items": "ok\n" + "y" * 201},
            f"Use at most 200 characters a line: “{'y' * 40}…” has 201.",
        ),
        ({"viewPasscode": "123"}, "Use 4 to 128 characters for a passcode."),
        ({"viewPasscode": "same", "adminPasscode": "same"}, "Choose two different passcodes."),
        ({"expiresInDays": "366"}, "Choose 1 to 365 days."),
        ({"expiresInDays": "soon"}, "Choose 1 to 365 days."),
    ],
    ids=lambda case: str(case)[:30],
)
async def test_invalid_form_shows_errors_and_keeps_typed_values(
    running: RunningApp, form: dict[str, str], wrong: str
) -> None:
    typed = {"name": "Camping", "items": "Tent\nRope", "expiresInDays": "7"} | form
    answer = await Guest(running).post("/s/new", **typed)
    assert answer.status_code == 400
    assert wrong in page_text(answer)
    assert typed["items"] in unescape(answer.text)
    assert typed["name"] in unescape(answer.text)
    if typed["expiresInDays"] == "7":
        assert '<option value="7" selected>' in answer.text


async def test_typed_passcode_is_not_sent_back_but_asked_for_again(
    running: RunningApp,
) -> None:
    answer = await Guest(running).post("/s/new", name="", viewPasscode="s3cretly")
    assert answer.status_code == 400
    assert "s3cretly" not in answer.text
    assert "Enter the same passcode again." in answer.text
    assert '<details class="passcodes" open>' in answer.text


async def test_anonymous_visitor_is_refused_if_only_members_create_lists(
    database: Database,
) -> None:
    async with running_app(database, shares="members") as running:
        guest, ada = Guest(running), Guest(running, await running.person("ada"))
        for answer in (await guest.get("/s/new"), await guest.post("/s/new", name="Camping")):
            assert answer.status_code == 303
            assert answer.headers["location"].startswith("/sign-in")
        made = await list_from_redirect(running, await ada.post("/s/new", name="Camping"))
        copied = await guest.post(path_of(made, "/copy"), name="Copy", expiresInDays="30")
        assert (await list_from_redirect(running, copied)).shared.name == "Copy"


async def test_rate_limited_form_keeps_typed_values(database: Database) -> None:
    async with running_app(database, limit_shares=Rate(1, 3600)) as running:
        guest = Guest(running)
        await guest.post("/s/new", name="One")
        answer = await guest.post("/s/new", name="Two", items="Tent")
        assert answer.status_code == 429
        assert int(answer.headers["retry-after"]) > 0
        assert "Tent" in answer.text


async def test_anonymous_visitor_may_submit_a_long_list(running: RunningApp) -> None:
    items = "\n".join(f"{number:03} {'ü' * 196}" for number in range(500))
    made = await list_from_redirect(
        running, await Guest(running).post("/s/new", name="Long", items=items)
    )
    assert len(made.items) == 500


async def test_any_spelling_of_an_id_redirects_to_one_page(running: RunningApp) -> None:
    made = await store_list(running, "Tent")
    for typed in (made.shared.short_id.upper(), made.shared.bare_id):
        answer = await Guest(running).get(f"/s/{typed}")
        assert (answer.status_code, answer.headers["location"]) == (303, path_of(made))


@pytest.mark.parametrize(
    "typed",
    [
        "abo-zsb-10258", "ABO-ZSB-10258", "aboZSB10258", " abo zsb 10258 ", "ab0-258-lOz5B",
        "abo\N{EN DASH}zsb\N{EM DASH}10258", "abo_zsb.10258",
        "https://home.test/s/abo-zsb-10258/", "abo-zsb-I0258",
        "abo-zsb-\uff11\uff10\uff12\uff15\uff18", "abo-zsb-\u0661\u0660\u0662\u0665\u0668",
    ],
)  # fmt: skip
def test_id_with_confused_letters_and_digits_is_parsed(typed: str) -> None:
    assert parse_typed_id(typed) == "abozsb10258"


async def test_search_page_redirects_to_the_list_or_shows_an_error(running: RunningApp) -> None:
    made, guest = await store_list(running, "Tent"), Guest(running)
    assert (await guest.get("/s")).status_code == 200
    found = await guest.get(f"/s?id={made.shared.short_id.upper().replace('-', '%20')}")
    assert (found.status_code, found.headers["location"]) == (303, path_of(made))
    for typed in ("zzz-zzz-00000", "nonsense", HTML):
        answer = await guest.client.get("/s", params={"id": typed}, headers={"Accept": "text/html"})
        assert answer.status_code == 404
        assert "There’s no list with this code." in answer.text
        assert HTML not in answer.text


async def test_search_page_limits_unknown_ids(database: Database) -> None:
    async with running_app(database, limit_unknown=Rate(3, 60)) as running:
        guest = Guest(running)
        statuses = [(await guest.get("/s?id=zzz-zzz-00000")).status_code for _ in range(4)]
        assert statuses == [404, 404, 404, 429]
        assert (await guest.get("/s/zzz-zzz-00000")).status_code == 429


async def test_invalid_copy_shows_errors(running: RunningApp) -> None:
    made = await store_list(running, "Tent")
    answer = await Guest(running).post(
        path_of(made, "/copy"), name="Two", viewPasscode="same", adminPasscode="same"
    )
    assert answer.status_code == 400
    assert "Choose two different passcodes." in answer.text
    assert 'value="Two"' in answer.text


async def test_my_lists_shows_created_and_saved_lists(running: RunningApp, home: Home) -> None:
    ada = Guest(running, home.admin)
    mine = await list_from_redirect(running, await ada.post("/s/new", name="I made this"))
    theirs = await store_list(running, name="I keep this")
    await store_list(running, name="I only saw this")
    assert (await Guest(running).post(path_of(theirs, "/keep"))).headers["location"] == "/sign-in"
    kept = await ada.post(path_of(theirs, "/keep"))
    assert "Saved to your lists." in (await ada.get(kept.headers["location"])).text
    page = page_text(await ada.get("/s/mine"))
    assert "I made this" in page
    assert "I keep this" in page
    assert "I only saw this" not in page
    for made in (mine, theirs):
        assert (await ada.post(path_of(made, "/forget"))).headers["location"] == "/s/mine"
        assert await now(running, made) is not None
    assert "No lists yet" in page_text(await ada.get("/s/mine"))
    assert (await ada.post(path_of(theirs, "/forget"))).status_code == 303
    key = KeptList.key(member_id=home.admin.member_id, short_id=mine.shared.short_id)
    note = await running.db.get(key)
    assert note is not None
    assert note.made


async def test_list_is_saved_with_the_used_passcode(running: RunningApp, home: Home) -> None:
    made = await store_list(running, name="Trip", view="see it")
    ada = Guest(running, home.admin)
    assert (await ada.post(path_of(made, "/keep"))).status_code == 401
    await ada.post(path_of(made, "/unlock"), passcode="see it")
    await ada.post(path_of(made, "/keep"))
    assert "Trip" in page_text(await ada.get("/s/mine"))
    form = {"name": "Trip", "note": "", "version": "1", "viewPasscode": "another"}
    await Guest(running).unlock_with(made.shared, "view").post(path_of(made, "/settings"), **form)
    page = page_text(await ada.get("/s/mine"))
    assert "Trip" not in page
    assert "Locked list" in page


async def test_page_of_a_saved_list_offers_to_forget_it(running: RunningApp, home: Home) -> None:
    made, ada = await store_list(running, "Tent"), Guest(running, home.admin)
    assert path_of(made, "/keep") in (await ada.get(path_of(made))).text
    await ada.post(path_of(made, "/keep"))
    page = (await ada.get(path_of(made))).text
    assert path_of(made, "/forget") in page
    assert path_of(made, "/keep") not in page
    assert path_of(made, "/keep") not in (await Guest(running).get(path_of(made))).text


async def test_shopping_list_of_one_store_becomes_a_list(
    running: RunningApp, home: Home, kid: Person, neighbour: Person
) -> None:
    store = (await home.admin.post("/stores", {"name": "Corner"})).json()["storeId"]
    await home.admin.post(
        "/shopping-list", {"name": "Milk", "storeId": store, "quantity": 2, "notes": "the blue one"}
    )
    await home.admin.post("/shopping-list", {"name": "String"})
    ada = Guest(running, home.admin)
    assert f"/s/from-list?at={store}" in (await ada.get(f"/list?at={store}")).text
    assert "/s/from-list" in (await ada.get("/list")).text
    page = await ada.get(f"/s/from-list?at={store}")
    assert 'value="Corner"' in page.text
    assert ("2 Milk" in page.text, "String" in page.text) == (True, False)
    form = {"storeId": store, "name": "For Bo", "viewPasscode": "see it", "expiresInDays": "1"}
    made = await list_from_redirect(running, await ada.post("/s/from-list", **form))
    assert (made.shared.name, made.shared.view_passcode is not None) == ("For Bo", True)
    assert made.shared.is_expired(clock.now() + timedelta(days=1))
    assert [(item.name, item.note) for item in made.items] == [("2 Milk", "the blue one")]
    wrong = await ada.post("/s/from-list", storeId=store, name="")
    assert (wrong.status_code, "2 Milk" in wrong.text) == (400, True)
    anywhere = await list_from_redirect(
        running, await ada.post("/s/from-list", storeId="", name="Rest")
    )
    assert names_of(anywhere) == ["String"]
    assert (await Guest(running, kid).get("/s/from-list")).status_code == 403
    assert (await Guest(running, kid).post("/s/from-list", name="x")).status_code == 403
    assert "/s/from-list" not in (await Guest(running, kid).get("/list")).text
    strange = await Guest(running, neighbour).post("/s/from-list", storeId=store, name="x")
    assert strange.status_code == 404
    assert "2 Milk" not in (await Guest(running, neighbour).get(f"/s/from-list?at={store}")).text
