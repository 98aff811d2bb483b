"""Open a folder that has every kind of to-do, letter and token of its version."""

from typing import Any

import pytest

from homeshelf.outbox.sending import LetterWriters
from homeshelf.table import SHAREABLES, SHORT_ID_POOL
from tests.former.folder import COMPLETE, Folder, FormerApp, wait_until_empty
from tests.home import ids
from tests.moment import Moment
from tests.pages import send
from tests.running import problem_of
from tests.shares.clients import bearer_headers

BATCH = {"items": [{"name": name, "quantity": 1} for name in ("Flour", "Sugar", "Yeast")]}
CAMPING = {
    "name": "Camping",
    "items": [{"name": "Tent"}, {"name": "Rope"}, {"name": "Map"}],
    "viewPasscode": "lakeside",
    "adminPasscode": "mountain",
}


@pytest.fixture
def folder() -> Folder:
    return COMPLETE


async def children(former: FormerApp, short_id: str) -> list[Any]:
    """Return the stored items of a shared list, visible or not."""
    page = await former.db.engine.scan(SHAREABLES, 10_000)
    bare = short_id.replace("-", "")
    return [each for each in page.items if str(each["pk"]) == f"checklist_item#{bare}"]


async def test_folder_has_every_kind_of_todo_and_letter(former: FormerApp) -> None:
    writers = former.services.all(LetterWriters)
    assert set(former.made["todos"]) == set(former.todos)
    assert set(former.made["letters"]) == {kind for each in writers for kind in each.by_kind}


async def test_strangers_stay_out(former: FormerApp) -> None:
    made = former.made
    family = {"homeshelf-family": made["familyId"]}
    eve = former.signed_in("eve")
    assert problem_of(await eve.get("/items", headers=family)) == (404, "not_found")
    assert problem_of(await eve.get(f"/books/{made['books']['dune']}")) == (404, "not_found")
    assert problem_of(await former.signed_in("gone").get("/items"))[0] == 403
    assert problem_of(await former.signed_in("leaver").get("/me"))[0] == 401
    closed = await former.visitor().get(f"/shareables/{made['camping']['shortId']}")
    assert closed.status_code == 401


async def test_tokens_of_sessions_are_accepted(former: FormerApp) -> None:
    made = former.made
    assert (await former.signed_in("ada").get("/me")).json()["memberId"] == made["ada"]["memberId"]
    refreshed = await former.visitor().post(
        "/tokens/refresh", {"refreshToken": made["ben"]["refreshToken"]}
    )
    assert refreshed.status_code == 200, refreshed.text
    child = await former.visitor().post("/tokens/link", {"token": made["child"]["link"]})
    assert child.status_code == 200, child.text
    browser = former.visitor().client
    browser.cookies.update(made["ada"]["cookies"])
    assert "Oats" in (await browser.get("/list")).text


async def test_links_of_mails_are_accepted(former: FormerApp) -> None:
    made, visitor = former.made, former.visitor()
    for kind in ("verify", "new_address"):
        verified = await visitor.post("/accounts/verify", {"token": made["links"][kind]})
        assert verified.is_success, verified.text
    for kind in ("reset", "child_address"):
        new = {"token": made["links"][kind], "password": "a password of today"}
        reset = await visitor.post("/passwords/reset", new)
        assert reset.is_success, reset.text
    assert (await send(visitor, f"/unsubscribe/{made['links']['unsubscribe']}")).is_success
    grandma = await former.person("grandma")
    joined = await grandma.post("/invitations/accept", {"token": made["invitation"]})
    assert joined.json()["role"] == "suggester"


async def test_tokens_of_lists_and_pages_are_accepted(former: FormerApp) -> None:
    made, ada = former.made, former.signed_in("ada")
    path = f"/shareables/{made['camping']['shortId']}"
    for token in (made["camping"]["viewToken"], made["camping"]["token"]):
        shown = await former.visitor().get(path, **bearer_headers(token))
        assert [item["name"] for item in shown.json()["items"]] == ["Tent", "Rope", "Map"]
    browser = former.visitor().client
    browser.cookies.update(made["camping"]["cookies"])
    assert "Rope" in (await browser.get(f"/s/{made['camping']['shortId']}")).text
    more = ids(await ada.get(f"/items?limit=2&nextToken={made['nextToken']}"), "name")
    assert len(more) == 2
    assert not set(made["firstPage"]) & set(more)


async def test_repeated_requests_are_answered_as_before(former: FormerApp) -> None:
    made, ada = former.made, former.signed_in("ada")
    body = {"name": "Milk", "quantity": 4, "threshold": 1, "barcodes": ["96385074"]}
    milk = await ada.post("/items", body, key="the-milk-of-before")
    assert milk.status_code == 201
    assert milk.json() == made["milk"]
    tag = f"/taps/{made['tags']['rice']}"
    tapped = await former.visitor().post(tag, {"delta": -1}, key="the-tap-of-before")
    assert tapped.json() == made["tapped"]
    book = {"title": "Emma", "status": "READ"}
    assert (await ada.post("/books", book, key="the-book-of-before")).json() == made["book"]
    again = await ada.post("/shareables", CAMPING, key=made["campingKey"])
    assert again.json()["shortId"] == made["camping"]["shortId"]


async def test_claims_are_held(former: FormerApp) -> None:
    ada = former.signed_in("ada")
    for path, body in (
        ("/stores", {"name": "Corner Shop"}),
        ("/items", {"name": "Oat milk", "quantity": 1, "barcodes": ["96385074"]}),
        ("/invitations", {"email": "grandma@home.local", "role": "admin"}),
        ("/shopping-list", {"itemId": former.made["items"]["oats"]}),
    ):
        assert problem_of(await ada.post(path, body)) == (409, "duplicate"), path


async def test_todos_of_the_stock_are_done(former: FormerApp, moment: Moment) -> None:
    made, ada = former.made, former.signed_in("ada")
    moment.pass_by(61)
    await wait_until_empty(former, "TODO")
    names = set(ids(await ada.get("/items"), "name"))
    assert names == {
        "Milk",
        "Rice",
        "Green tea",
        "Oats",
        "Soap",
        "Cocoa",
        "Flour",
        "Sugar",
        "Yeast",
    }
    replayed = await ada.post("/items/batch", BATCH, key="the-batch-of-before")
    assert [item["name"] for item in replayed.json()["items"]] == ["Flour", "Sugar", "Yeast"]
    page = await former.visitor().client.get(f"/t/{made['tags']['tea']}")
    assert "Green tea" in page.text
    tapped = await former.visitor().post(f"/taps/{made['tags']['salt']}", {"delta": -1})
    assert tapped.status_code == 404
    entry = await ada.get(f"/shopping-list/{made['entries']['salt']}")
    assert entry.json()["itemId"] is None
    named = {"name": "Beans", "preferredStoreId": made["closedShop"]}
    assert (await ada.post("/items", named)).status_code == 201


async def test_todos_of_people_are_done(former: FormerApp, moment: Moment) -> None:
    made, ada = former.made, former.signed_in("ada")
    moment.pass_by(61)
    await wait_until_empty(former, "TODO")
    assert {"Ada", "Benjamin"} <= set(ids(await ada.get("/members"), "name"))
    for status, name in (("revoked", "uncle"), ("pending", "grandma")):
        found = await ada.get(f"/invitations?status={status}")
        assert ids(found, "email") == [f"{name}@home.local"]
    assert not await former.waiting(f"ACCOUNT#{made['leaver']['memberId']}")
    assert ids(await ada.get("/books"), "title") == ["Dune", "Emma"]
    await wait_until_empty(former, "REMOVED_BOOKS")


async def test_todos_of_shared_lists_are_done(former: FormerApp, moment: Moment) -> None:
    made, ada = former.made, former.signed_in("ada")
    moment.pass_by(61)
    await wait_until_empty(former, "TODO")
    packing = (await ada.get(f"/shareables/{made['packing']['shortId']}")).json()
    assert [item["checklistItemId"] for item in packing["items"]] == made["packing"]["order"]
    orders = [item["order"] for item in packing["items"]]
    assert orders == sorted(orders)
    for removed in (made["old"], made["unfinished"]):
        assert (await ada.get(f"/shareables/{removed}")).status_code == 404
        assert not await children(former, removed)
    party = await former.db.engine.scan(SHAREABLES, 10_000)
    bare = made["party"].replace("-", "")
    ends = {each["ttl"] for each in party.items if str(each["pk"]).endswith(f"#{bare}")}
    assert len(ends) == 1, "the items live as long as their list"
    pool = await former.db.engine.scan(SHORT_ID_POOL, 10_000)
    assert len(pool.items) > 10
