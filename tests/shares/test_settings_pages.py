"""Test the settings page of a shared list."""

from typing import Any

import pytest

from tests.moment import DAY, Moment
from tests.running import RunningApp
from tests.shares.clients import Guest, input_values, now, page_text, path_of, store_list


async def test_form_changes_only_edited_settings(running: RunningApp, moment: Moment) -> None:
    made, guest = await store_list(running, "Tent", note="old"), Guest(running)
    moment.pass_by(DAY)
    form = {"name": "Camping", "note": "old", "version": "1", "expiresInDays": ""}
    await guest.post(path_of(made, "/settings"), **form | {"name": "Lake"})
    found = await now(running, made)
    assert found is not None
    assert (found.shared.name, found.shared.note) == ("Lake", "old")
    assert found.shared.expires_at == made.shared.expires_at
    await guest.post(
        path_of(made, "/settings"), name="Lake", note="", version="2", expiresInDays="1"
    )
    found = await now(running, made)
    assert found is not None
    assert (found.shared.note, found.shared.expires_at) == (None, "2024-11-03T12:00:00.000Z")


async def test_stale_form_saves_nothing_and_keeps_typed_values(running: RunningApp) -> None:
    made, guest = await store_list(running, "Tent"), Guest(running)
    path, form = path_of(made, "/settings"), {"name": "Lake", "note": "", "version": "1"}
    await guest.post(path, **form)
    typed = form | {"name": "Forest", "note": "by bike", "viewPasscode": "see it"}
    answer = await guest.post(path, **typed)
    assert answer.status_code == 409
    assert "Check it, then save." in page_text(answer)
    assert (input_values(answer, "version"), 'value="Forest"' in answer.text) == (["2"], True)
    for words in ("Now: “Lake”.", "by bike", "Now: empty.", "Enter the same passcode again."):
        assert words in page_text(answer)
    assert "see it" not in answer.text
    found = await now(running, made)
    assert found is not None
    assert (found.shared.name, found.shared.view_passcode) == ("Lake", None)


async def test_concurrent_new_item_loses_no_settings(running: RunningApp) -> None:
    made, guest = await store_list(running, "Tent"), Guest(running)
    await guest.post(path_of(made, "/items"), name="Rope")
    wrong = await guest.post(path_of(made, "/settings"), name=" ", note="by bike", version="1")
    assert input_values(wrong, "version") == ["1"]
    stale = await guest.post(path_of(made, "/settings"), name="Lake", note="by bike", version="1")
    assert stale.status_code == 409
    assert "by bike" in page_text(stale)


async def test_typed_passcode_is_asked_for_again_after_an_error(running: RunningApp) -> None:
    made = await store_list(running, "Tent", view="see it")
    guest = Guest(running).unlock_with(made.shared, "view")
    path, good = path_of(made, "/settings"), {"note": "", "version": "1"}
    answer = await guest.post(path, **good | {"name": " ", "adminPasscode": "change it"})
    assert answer.status_code == 400
    assert "Enter the same passcode again." in page_text(answer)
    answer = await guest.post(path, **good | {"name": " ", "noViewPasscode": "1"})
    assert 'name="noViewPasscode" value="1" checked' in answer.text


async def test_conflicting_save_shows_the_current_settings(
    running: RunningApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, guest, engine = await store_list(running, "Tent"), Guest(running), running.db.engine
    transact, own_key = engine.transact, made.shared.own_key()

    async def conflict_after(writes: Any) -> None:
        if all(write.key != own_key for write in writes):  # a to-do of the background
            await transact(writes)
            return
        monkeypatch.setattr(engine, "transact", transact)
        await running.db.put(made.shared.changed(name="Lake", version=2))
        await transact(writes)

    monkeypatch.setattr(engine, "transact", conflict_after)
    form = {"name": "Forest", "note": "", "version": "1"}
    answer = await guest.post(path_of(made, "/settings"), **form)
    assert answer.status_code == 409
    assert (input_values(answer, "version"), 'value="Forest"' in answer.text) == (["2"], True)
    assert "Now: “Lake”." in page_text(answer)


async def test_invalid_settings_show_errors(running: RunningApp) -> None:
    made = await store_list(running, "Tent", view="see it", admin="change it")
    guest = Guest(running).unlock_with(made.shared, "admin")
    good = {"name": "Camping", "note": "", "version": "1"}
    for bad, words in (
        ({"name": ""}, "Enter a name of up to 200 characters."),
        ({"note": "x" * 2001}, "Use at most 2,000 characters for the note."),
        ({"viewPasscode": "abc"}, "Use 4 to 128 characters for a passcode."),
        ({"adminPasscode": "see it"}, "Choose two different passcodes."),
        ({"adminPasscode": "other", "noAdminPasscode": "1"}, "Enter a new passcode or remove it"),
        ({"viewPasscode": "other", "noViewPasscode": "1"}, "Enter a new passcode or remove it"),
        ({"expiresInDays": "0"}, "Choose 1 to 365 days."),
    ):
        answer = await guest.post(path_of(made, "/settings"), **good | bad)
        assert (answer.status_code, words in answer.text) == (400, True), bad
    assert await now(running, made) == made


async def test_new_passcode_locks_out_all_but_the_caller(running: RunningApp) -> None:
    made = await store_list(running, "Tent")
    guest, other = Guest(running), Guest(running)
    form = {"name": "Camping", "note": "", "version": "1", "viewPasscode": "see it"}
    await guest.post(path_of(made, "/settings"), **form)
    assert (await guest.get(path_of(made, "/settings"))).status_code == 200
    assert (await other.get(path_of(made))).status_code == 401
    form = {"name": "Camping", "note": "", "version": "2", "noViewPasscode": "1"}
    await guest.post(path_of(made, "/settings"), **form)
    assert (await other.get(path_of(made, "/settings"))).status_code == 200


async def test_changing_one_passcode_keeps_the_other(running: RunningApp) -> None:
    made = await store_list(running, "Tent", view="see it", admin="change it")
    viewer = Guest(running).unlock_with(made.shared, "view")
    guest = Guest(running).unlock_with(made.shared, "admin")
    form = {"name": "Camping", "note": "", "version": "1"}
    await guest.post(path_of(made, "/settings"), **form, adminPasscode="change more")
    assert (await guest.get(path_of(made, "/settings"))).status_code == 200
    assert (await viewer.get(path_of(made))).status_code == 200
    form["version"] = "2"
    await guest.post(path_of(made, "/settings"), **form, noAdminPasscode="1")
    found = await now(running, made)
    assert found is not None
    assert (found.shared.admin_passcode, found.shared.view_passcode is not None) == (None, True)
