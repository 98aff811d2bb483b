"""The next request sees a change, however far the indexes lag."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from homeshelf.table import Database
from tests.databases import tables
from tests.home import Home, ids, new_home
from tests.running import RunningApp, problem_of, running_app
from tests.table.faulty_engines import LaggingSqlite

AN_HOUR = 3600.0


@pytest.fixture(params=["extenddb", "an index an hour behind"])
async def slow_app(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[RunningApp]:
    if request.param == "extenddb":
        async with (
            tables(request, tmp_path) as open_another,
            running_app(open_another()) as running,
        ):
            yield running
        return
    database = Database(LaggingSqlite(tmp_path / "homeshelf.db", AN_HOUR))
    await database.engine.create_tables()
    async with running_app(database) as running:
        yield running
    await database.close()


async def test_next_request_sees_the_change_despite_slow_indexes(slow_app: RunningApp) -> None:
    home = await new_home(slow_app, "Lovelace", "ada")
    ada = home.admin
    assert (await ada.get("/family")).json() == home.family
    assert ids(await ada.get("/members"), "memberId") == [ada.member_id]

    bob = await home.with_member("bob", "admin")
    assert (await bob.get("/family")).json() == home.family
    assert sorted(ids(await bob.get("/members"), "memberId")) == sorted(
        [ada.member_id, bob.member_id]
    )
    assert ids(await bob.get("/invitations"), "invitationId") == []
    again = await ada.post("/invitations", {"email": bob.email, "role": "admin"})
    assert problem_of(again) == (409, "duplicate")

    demoted = await ada.patch(f"/members/{bob.member_id}", {"role": "suggester", "version": 1})
    assert demoted.status_code == 200
    assert problem_of(await bob.get("/invitations")) == (403, "forbidden")
    await home.remove_member(bob)
    assert problem_of(await bob.get("/family")) == (403, "no_family")
    await home.let_in(bob, "admin")
    assert (await bob.delete(f"/members/{ada.member_id}")).status_code == 204
    assert problem_of(await ada.get("/family")) == (403, "no_family")
    await Home(slow_app, home.family, bob).let_in(ada, "suggester")
    assert (await ada.get("/family")).json() == home.family

    other = await ada.post("/families", {"name": "Other"}, key="k")
    assert problem_of(await ada.get("/family")) == (409, "choose_family")
    chosen = {"Homeshelf-Family": other.json()["familyId"]}
    assert (await ada.get("/family", headers=chosen)).json() == other.json()
