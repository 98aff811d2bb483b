"""Test the pages of a shared list without scripts."""

import re

import pytest

from homeshelf.shares.checklist.store import Tick, item_key, tick_item
from tests.home import Home
from tests.moment import Moment
from tests.running import RunningApp
from tests.shares.clients import (
    Guest,
    input_values,
    list_from_redirect,
    names_of,
    now,
    page_text,
    path_of,
    store_list,
)

HTML = "<script>alert(1)</script>"
DAY = 24 * 3600


async def test_list_is_shared_by_id_link_code_and_paper(running: RunningApp) -> None:
    made = await store_list(running, "Tent", "Rope", note="Bring a jumper")
    await tick_item(
        running.db,
        item_key(made.shared.short_id, made.items[0].checklist_item_id),
        Tick(checked=True),
    )
    guest, link = Guest(running), f"http://home.test{path_of(made)}"
    share = await guest.get(path_of(made, "/share"))
    assert f'value="{link}"' in share.text
    assert 'class="qr"' in share.text
    assert f">{made.shared.short_id}<" in share.text
    assert "set a passcode" in share.text
    paper = await guest.get(path_of(made, "/print"))
    assert "Bring a jumper" in paper.text
    assert paper.text.count('aria-label="done"') == 1
    assert paper.text.count('aria-label="to do"') == 1
    assert link in paper.text


@pytest.mark.parametrize(
    ("view", "admin", "words"),
    [
        ("see it", None, "Anyone with the passcode can see and change the list."),
        (None, "change it", "Changing the list needs the passcode"),
        ("see it", "change it", "The link alone won’t open the list. Share one passcode"),
    ],
)
async def test_share_page_explains_the_access_by_link(
    running: RunningApp, view: str | None, admin: str | None, words: str
) -> None:
    made = await store_list(running, view=view, admin=admin)
    guest = Guest(running).unlock_with(made.shared, "admin" if admin else "view")
    assert words in (await guest.get(path_of(made, "/share"))).text


async def test_tick_shows_initials_to_all_visitors(running: RunningApp) -> None:
    made = await store_list(running, "Tent", "Rope")
    ada, bo = Guest(running), Guest(running)
    tent = made.items[0].checklist_item_id
    named = await ada.post(path_of(made, "/who"), who="Ada Lovelace")
    assert "Path=/s;" in named.headers["set-cookie"]
    assert "HttpOnly" in named.headers["set-cookie"]
    assert f"Max-Age={365 * DAY};" in named.headers["set-cookie"]
    answer = await ada.post(path_of(made, f"/items/{tent}/tick"), checked="1")
    assert answer.headers["location"] == path_of(made, f"#{tent}")
    seen = await bo.get(path_of(made))
    assert "1 of 2 done" in page_text(seen)
    assert ">AL</span>" in seen.text
    assert "by Ada Lovelace" in page_text(seen)
    assert seen.text.count('aria-pressed="true"') == 1
    unclear = await bo.post(path_of(made, f"/items/{tent}/tick"), checked="perhaps")
    assert unclear.headers["location"] == path_of(made, f"#{tent}")
    assert "1 of 2 done" in page_text(await ada.get(path_of(made)))
    await bo.post(path_of(made, f"/items/{tent}/tick"), checked="0")
    assert "0 of 2 done" in page_text(await ada.get(path_of(made)))
    found = await now(running, made)
    assert found is not None
    assert (found.items[0].checked, found.items[0].checked_by) == (None, None)


async def test_name_is_stored_on_the_device_and_can_be_removed(running: RunningApp) -> None:
    made, guest = await store_list(running, "Tent"), Guest(running)
    tent = made.items[0].checklist_item_id
    await guest.post(path_of(made, "/who"), who=" Zoë; Å ")
    assert "You’re ticking as Zoë; Å" in page_text(await guest.get(path_of(made)))
    too_long = await guest.post(path_of(made, "/who"), who="x" * 51)
    assert too_long.status_code == 400
    assert "Use at most 50 characters." in page_text(too_long)
    assert f'value="{"x" * 51}"' in too_long.text
    assert '<details class="who" open>' in too_long.text
    assert "You’re ticking as Zoë; Å" in page_text(await guest.get(path_of(made)))
    for nothing in ("\u200b", ""):
        forgotten = await guest.post(path_of(made, "/who"), who=nothing)
        assert "Max-Age=0;" in forgotten.headers["set-cookie"]
    assert "Add your name" in page_text(await guest.get(path_of(made)))
    await guest.post(path_of(made, f"/items/{tent}/tick"), checked="1")
    found = await now(running, made)
    assert found is not None
    assert (found.items[0].checked, found.items[0].checked_by) == (True, None)


async def test_items_are_added_edited_and_cleared_of_a_note(running: RunningApp) -> None:
    made, guest = await store_list(running, "Tent"), Guest(running)
    tent = made.items[0].checklist_item_id
    await guest.post(path_of(made, "/items"), name=" Rope ")
    assert names_of(await now(running, made)) == ["Tent", "Rope"]
    for name in ("", "\u200b", "x" * 201):
        answer = await guest.post(path_of(made, "/items"), name=name)
        assert answer.status_code == 400
        assert "Enter a name of up to 200 characters." in page_text(answer)
        assert f'id="name" name="name" maxlength="200" value="{name}"' in answer.text
    await guest.post(path_of(made, f"/items/{tent}"), name="Big tent", note="the green one")
    edit = await guest.get(path_of(made, f"/items/{tent}"))
    assert 'value="Big tent"' in edit.text
    assert "the green one" in edit.text
    wrong = await guest.post(path_of(made, f"/items/{tent}"), name="", note="blue")
    assert wrong.status_code == 400
    assert "blue" in wrong.text
    await guest.post(path_of(made, f"/items/{tent}"), name="Big tent", note="")
    found = await now(running, made)
    assert found is not None
    assert [(item.name, item.note) for item in found.items] == [("Big tent", None), ("Rope", None)]


async def test_full_list_shows_a_message(running: RunningApp) -> None:
    made = await store_list(running, *map(str, range(500)))
    answer = await Guest(running).post(path_of(made, "/items"), name="one more")
    assert answer.status_code == 400
    assert "it has 500 items" in page_text(answer)
    assert 'value="one more"' in answer.text
    answer = await Guest(running).post(path_of(made, "/items/restore"), name="one more")
    assert answer.headers["location"].endswith("?said=full")


async def test_removed_item_is_restored_in_its_place(running: RunningApp) -> None:
    made, guest = await store_list(running, "Tent", "Rope", "Map"), Guest(running)
    rope = made.items[1].checklist_item_id
    await tick_item(running.db, item_key(made.shared.short_id, rope), Tick(checked=True, by="Ada"))
    await guest.post(path_of(made, f"/items/{rope}"), name="Rope", note="long")
    answer = await guest.post(path_of(made, f"/items/{rope}/delete"))
    assert "Removed “Rope”." in page_text(answer)
    assert names_of(await now(running, made)) == ["Tent", "Map"]
    fields = ("name", "note", "before", "checked", "checkedBy")
    form = {name: input_values(answer, name)[0] for name in fields}
    await guest.post(path_of(made, "/items/restore"), **form)
    found = await now(running, made)
    assert names_of(found) == ["Tent", "Rope", "Map"]
    assert found is not None
    back = found.items[1]
    assert (back.note, back.checked, back.checked_by) == ("long", True, "Ada")
    again = await guest.post(path_of(made, f"/items/{rope}/delete"))
    assert again.headers["location"] == path_of(made, "?said=gone")


async def test_removed_last_item_is_restored_at_the_end(running: RunningApp) -> None:
    made, guest = await store_list(running, "Tent", "Rope"), Guest(running)
    answer = await guest.post(path_of(made, f"/items/{made.items[1].checklist_item_id}/delete"))
    assert input_values(answer, "before") == [""]
    await guest.post(path_of(made, "/items/restore"), name="Rope", before="", checked="0")
    assert names_of(await now(running, made)) == ["Tent", "Rope"]


async def test_removed_item_of_another_visitor_shows_a_message(running: RunningApp) -> None:
    made, guest = await store_list(running, "Tent"), Guest(running)
    path = path_of(made, f"/items/{made.items[0].checklist_item_id}")
    await guest.post(f"{path}/delete")
    answers = [
        await guest.post(f"{path}/tick", checked="1"),
        await guest.post(path, name="Tent"),
        await guest.get(path),
    ]
    for answer in answers:
        assert answer.headers["location"] == path_of(made, "?said=gone")
    assert "removed this from the list" in page_text(
        await guest.get(answers[0].headers["location"])
    )
    assert names_of(await now(running, made)) == []


async def test_items_move_up_and_down_by_buttons(running: RunningApp) -> None:
    made, guest = await store_list(running, "A", "B", "C"), Guest(running)
    ids = {item.name: item.checklist_item_id for item in made.items}

    async def move(name: str, to: str) -> list[str]:
        answer = await guest.post(path_of(made, f"/items/{ids[name]}/move"), to=to)
        assert answer.headers["location"] == path_of(made, f"/order#{ids[name]}")
        return names_of(await now(running, made))

    assert await move("C", "up") == ["A", "C", "B"]
    assert await move("A", "down") == ["C", "A", "B"]
    assert await move("C", "up") == ["C", "A", "B"]
    assert await move("B", "down") == ["C", "A", "B"]
    page = await guest.get(path_of(made, "/order"))
    assert re.findall(r'aria-label="Move (\w) up"', page.text) == ["C", "A", "B"]
    gone = await guest.post(path_of(made, f"/items/{made.shared.short_id}/move"), to="up")
    assert gone.status_code == 404
    nowhere = await guest.post(path_of(made, f"/items/{ids['A']}/move"), to="away")
    assert nowhere.headers["location"] == path_of(made, "/order?said=meanwhile")


async def test_wrong_passcodes_are_refused_and_rate_limited(running: RunningApp) -> None:
    made, guest = await store_list(running, "Tent", view="see it"), Guest(running)
    for _ in range(10):
        answer = await guest.post(path_of(made, "/unlock"), passcode="guess")
        assert answer.status_code == 401
        assert "That isn’t the list’s passcode." in answer.text
        assert "guess" not in answer.text
        assert "set-cookie" not in answer.headers
    answer = await guest.post(path_of(made, "/unlock"), passcode="see it")
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) > 0
    assert (await guest.post(path_of(made, "/unlock"), passcode="")).status_code == 401
    assert (await Guest(running, address="198.51.100.9").post(
        path_of(made, "/unlock"), passcode="see it"
    )).status_code == 303  # fmt: skip


async def test_unlock_page_of_an_open_list_redirects(running: RunningApp) -> None:
    made, guest = await store_list(running, "Tent"), Guest(running)
    assert (await guest.get(path_of(made, "/unlock"))).headers["location"] == path_of(made)
    answer = await guest.post(path_of(made, "/unlock"), passcode="any")
    assert answer.headers["location"] == path_of(made)
    assert "set-cookie" not in answer.headers


async def test_viewer_sees_no_controls_of_admins(running: RunningApp) -> None:
    made = await store_list(running, "Tent", admin="change it")
    page = (await Guest(running).get(path_of(made))).text
    for way in ("/settings", "/order", "/delete", "/items"):
        assert f'{path_of(made, way)}"' not in page
    assert "Edit Tent" not in page
    assert path_of(made, "/unlock") in page
    tent = made.items[0].checklist_item_id
    row = (await Guest(running).get(path_of(made, f"/items/{tent}/row"))).text
    assert "Edit Tent" not in row
    holder = Guest(running).unlock_with(made.shared, "admin")
    assert "Edit Tent" in (await holder.get(path_of(made, f"/items/{tent}/row"))).text
    assert path_of(made, "/unlock") not in (await holder.get(path_of(made))).text


async def test_admin_reads_copies_and_deletes_an_expired_list(
    running: RunningApp, moment: Moment
) -> None:
    made = await store_list(running, "Tent", "Rope", view="see it", admin="change it", days=1)
    await tick_item(
        running.db,
        item_key(made.shared.short_id, made.items[0].checklist_item_id),
        Tick(checked=True),
    )
    moment.pass_by(DAY)
    guest = Guest(running)
    over = await guest.get(path_of(made))
    assert over.status_code == 410
    assert "This list has ended" in page_text(over)
    assert "Tent" not in over.text
    refused = await guest.post(path_of(made, "/unlock"), passcode="see it")
    assert (refused.status_code, "This list has ended" in page_text(refused)) == (401, True)
    await guest.post(path_of(made, "/unlock"), passcode="change it")
    page = await guest.get(path_of(made))
    assert "Only you can still read it." in page_text(page)
    for way in ("/tick", "/settings", "/order", "/share", "/who", "/items"):
        assert f"{path_of(made)}{way}" not in page.text
    assert '<form class="tick"' not in page.text
    copy = await guest.post(
        path_of(made, "/copy"), name="Next year", expiresInDays="7", adminPasscode="new one"
    )
    copied = await list_from_redirect(running, copy)
    assert copied.shared.name == "Next year"
    assert copied.shared.expires_at == "2024-11-09T12:00:00.000Z"
    assert (copied.shared.view_passcode, copied.shared.admin_passcode is not None) == (None, True)
    assert [(item.name, item.checked) for item in copied.items] == [("Tent", None), ("Rope", None)]
    assert (await guest.get(path_of(copied, "/settings"))).status_code == 200
    gone = await guest.post(path_of(made, "/delete"))
    assert gone.headers["location"] == "/s?said=deleted"
    assert "The list is deleted" in (await guest.get("/s?said=deleted")).text
    assert await now(running, made) is None


async def test_stored_markup_is_escaped(running: RunningApp) -> None:
    made = await store_list(running, HTML, name=HTML, note=HTML)
    item = made.items[0].checklist_item_id
    guest = Guest(running)
    await guest.post(path_of(made, f"/items/{item}"), name=HTML, note=HTML)
    await guest.post(path_of(made, "/who"), who=HTML)
    await guest.post(path_of(made, f"/items/{item}/tick"), checked="1")
    for after in (
        "", "/share", "/print", "/settings", "/order", "/copy", f"/items/{item}",
        f"/items/{item}/row",
    ):  # fmt: skip
        page = await guest.get(path_of(made, after))
        assert page.status_code == 200
        assert HTML not in page.text
    removed = await guest.post(path_of(made, f"/items/{item}/delete"))
    assert HTML not in removed.text


async def test_anonymous_visitor_sees_nothing_of_a_household(
    running: RunningApp, home: Home
) -> None:
    made = await store_list(running, "Tent")
    guest, ada = Guest(running), Guest(running, home.admin)
    for path in ("/s", "/s/new", path_of(made), path_of(made, "/share")):
        answer = await guest.get(path)
        page = answer.text
        assert answer.status_code == 200
        assert 'class="places"' not in page
        assert "data-family" not in page
        assert "/s/mine" not in page
        theirs = (await ada.get(path)).text
        assert 'class="places"' in theirs
        assert 'href="/s/mine"' in theirs
