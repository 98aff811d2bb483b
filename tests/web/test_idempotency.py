import asyncio
import hashlib
from typing import Any

import pytest

from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.errors import AlreadyReviewed, IdempotencyMismatch
from homeshelf.places.model import Store
from homeshelf.table import HELPER, INVENTORY, Database
from homeshelf.web.idempotency import IdempotentRequest
from tests.api_client import add_item
from tests.databases import Opener
from tests.home import new_home
from tests.moment import Moment
from tests.records import make_record
from tests.running import Person, RunningApp, problem_of, running_app

HOME = {"name": "Home"}
MISMATCH = (409, "idempotency_mismatch")


async def families(running: RunningApp) -> list[Any]:
    items = (await running.db.engine.scan(INVENTORY, 1000)).items
    return sorted(str(item["name"]) for item in items if item["entityType"] == "Family")


async def test_repeated_request_runs_once_and_gets_the_same_response(running: RunningApp) -> None:
    ada = await running.person("ada")
    first = await ada.post("/families", HOME, key="k")
    again = await ada.post("/families", HOME, key="k")
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert again.headers["content-type"] == first.headers["content-type"]
    assert await families(running) == ["Home"]


async def test_request_without_a_key_runs_again(running: RunningApp) -> None:
    ada = await running.person("ada")
    for _ in range(2):
        assert (await ada.post("/families", HOME)).status_code == 201
    assert await families(running) == ["Home", "Home"]


async def test_concurrent_requests_with_one_key_run_once(open_another: Opener) -> None:
    async with running_app(open_another()) as one, running_app(open_another()) as other:
        ada = await one.person("ada")
        elsewhere = other.visitor()
        elsewhere.bear(other.access_token(ada.member_id, ada.session_id))
        answers = await asyncio.gather(
            *(who.post("/families", HOME, key="k") for _ in range(5) for who in (ada, elsewhere))
        )
        assert {answer.status_code for answer in answers} == {201}
        assert len({answer.content for answer in answers}) == 1
        assert await families(one) == ["Home"]


async def test_request_that_conflicts_with_itself_gets_the_first_response(
    open_another: Opener,
) -> None:
    """Later ones of several concurrent requests find a version that the first has raised."""
    async with running_app(open_another()) as one, running_app(open_another()) as other:
        home = await new_home(one, "Home", "ada")
        elsewhere = other.visitor()
        elsewhere.bear(other.access_token(home.admin.member_id, home.admin.session_id))
        body = {"name": "Den", "version": 1}
        answers = await asyncio.gather(
            *(
                who.patch("/family", body, key="k")
                for _ in range(5)
                for who in (home.admin, elsewhere)
            )
        )
        assert {answer.status_code for answer in answers} == {200}
        assert {answer.json()["version"] for answer in answers} == {2}


async def test_same_key_with_another_body_is_a_mismatch(running: RunningApp) -> None:
    ada = await running.person("ada")
    await ada.post("/families", HOME, key="k")
    assert problem_of(await ada.post("/families", {"name": "Den"}, key="k")) == MISMATCH
    assert await families(running) == ["Home"]


@pytest.mark.parametrize(("first", "again"), [(None, {}), ({}, None)])
async def test_missing_body_and_empty_body_are_the_same(
    running: RunningApp, first: Any, again: Any
) -> None:
    home = await new_home(running, "Home", "ada")
    item = await add_item(home.admin, name="Milk")
    for path in (f"/items/{item['itemId']}/nfc-urls", f"/items/{item['itemId']}/archive"):
        done = await home.admin.post(path, first, key="k")
        assert (await home.admin.post(path, again, key="k")).content == done.content, path


async def test_one_of_two_concurrent_bodies_with_one_key_runs(running: RunningApp) -> None:
    ada = await running.person("ada")
    answers = await asyncio.gather(
        *(ada.post("/families", {"name": name}, key="k") for name in ("Home", "Den"))
    )
    assert sorted(answer.status_code for answer in answers) == [201, 409]
    assert len(await families(running)) == 1


async def test_key_is_bound_to_person_method_and_path(running: RunningApp) -> None:
    ada, eve = await running.person("ada"), await running.person("eve")
    assert (await ada.post("/families", HOME, key="k")).status_code == 201
    assert (await eve.post("/families", {"name": "Den"}, key="k")).status_code == 201
    assert (await ada.patch("/me", {"name": "Countess"}, key="k")).status_code == 200
    assert (await ada.patch("/me/preferences", {"theme": "dark"}, key="k")).status_code == 200
    assert await families(running) == ["Den", "Home"]


async def test_refused_request_may_be_sent_again(running: RunningApp) -> None:
    ada = await running.person("ada")
    assert problem_of(await ada.post("/families", {"name": ""}, key="k")) == (400, "validation")
    assert (await ada.post("/families", HOME, key="k")).status_code == 201


async def test_response_is_stored_for_a_day(running: RunningApp, moment: Moment) -> None:
    ada = await running.person("ada")
    await ada.post("/families", HOME, key="k")
    for later, count in ((24 * 3600 - 1, 1), (2, 2)):
        moment.pass_by(later)
        renew(running, ada)
        assert (await ada.post("/families", HOME, key="k")).status_code == 201
        assert len(await families(running)) == count


@pytest.mark.parametrize("key", ["", " ", "two words", "x" * 129, "tab\tbed", "caf\xe9"])
async def test_malformed_key_is_refused(running: RunningApp, key: str) -> None:
    ada = await running.person("ada")
    headers = {b"Idempotency-Key": key.encode("latin-1")}
    answer = await ada.client.post("/api/v1/families", json=HOME, headers=headers)
    assert problem_of(answer) == (400, "validation")
    assert [error["field"] for error in answer.json()["errors"]] == ["Idempotency-Key"]
    assert await families(running) == []


async def test_long_key_is_accepted_and_ignored_by_get_and_delete(running: RunningApp) -> None:
    ada = await running.person("ada")
    assert (await ada.post("/families", HOME, key="!~" * 64)).status_code == 201
    for _ in range(2):
        answer = await ada.get("/me", headers={"Idempotency-Key": "two words"})
        assert answer.status_code == 200


async def test_content_is_stored_only_as_a_seal(running: RunningApp) -> None:
    """An unkeyed digest would let a reader of the table guess a password in the body."""
    ada = await running.person("ada")
    body = b'{"name":"Countess"}'
    headers = {"Content-Type": "application/json", "Idempotency-Key": "k"}
    await ada.client.patch("/api/v1/me", content=body, headers=headers)
    kept = [
        item for item in (await running.db.engine.scan(HELPER, 1000)).items if "content" in item
    ]
    assert len(kept) == 1
    assert hashlib.sha256(body).hexdigest() not in str(kept)


def renew(running: RunningApp, person: Person) -> None:
    person.bear(running.access_token(person.member_id, person.session_id))


@transaction
async def add(tx: Transaction, new: Store) -> Store:
    tx.add(new)
    return new


async def test_form_that_conflicts_with_itself_gets_the_first_response(
    database: Database,
) -> None:
    form = IdempotentRequest("ada", None, "POST", "/wishes", b"").of_form("yes", "1")
    store = make_record(Store)

    async def too_late(_: Database) -> Store:
        await form.outcome(database, lambda quicker: add(quicker, store))
        raise AlreadyReviewed

    assert (await form.outcome(database, too_late))["storeId"] == store.store_id


async def test_other_body_committed_first_with_the_key_is_a_mismatch(
    database: Database,
) -> None:
    one, other = (
        IdempotentRequest("ada", "k", "POST", "/stores", content) for content in (b"1", b"2")
    )
    stores = [make_record(Store, store_id="first"), make_record(Store, store_id="second")]

    async def add_second(unit: Database) -> Store:
        await other.respond(database, lambda unit: add(unit, stores[0]))
        return await add(unit, stores[1])

    with pytest.raises(IdempotencyMismatch):
        await one.respond(database, add_second)
    assert await database.get(stores[1].own_key()) is None


async def test_refused_form_raises_its_own_error(database: Database) -> None:
    form = IdempotentRequest("ada", None, "POST", "/wishes", b"").of_form("yes", "1")

    async def refused(_: Database) -> Store:
        raise AlreadyReviewed

    with pytest.raises(AlreadyReviewed):
        await form.outcome(database, refused)
