"""Every version opens the tags, shared lists and books of earlier versions."""

from typing import Any

import pytest

from tests.former.folder import LATER, Folder, FormerApp, wait_until_empty
from tests.moment import Moment
from tests.outbox.post_office import PostOffice
from tests.running import problem_of
from tests.shares.clients import bearer_headers

LIST_KEY = "5f0c6f0a-3a52-4c1e-9d7a-0c5d2f6b7a11"
CAMPING = {
    "name": "Camping",
    "items": [{"name": "Tent"}, {"name": "Rope"}, {"name": "Map"}],
    "viewPasscode": "lakeside",
    "adminPasscode": "mountain",
}


@pytest.fixture
def folder() -> Folder:
    return LATER


async def unlocked_headers(former: FormerApp, passcode: str) -> dict[str, Any]:
    """Return the headers of an anonymous client that knows the passcode of the list."""
    path = f"/shareables/{former.made['list']['shortId']}"
    opened = await former.visitor().post(f"{path}/unlock", {"passcode": passcode})
    assert opened.status_code == 200, opened.text
    return bearer_headers(opened.json()["token"])


async def test_strangers_stay_out(former: FormerApp) -> None:
    eve, made = former.signed_in("eve"), former.made
    family = {"homeshelf-family": made["familyId"]}
    tags = f"/items/{made['items']['rice']}/nfc-urls"
    assert problem_of(await eve.get(tags, headers=family)) == (404, "not_found")
    assert problem_of(await eve.get(f"/books/{made['books']['dune']}")) == (404, "not_found")
    closed = await former.visitor().get(f"/shareables/{made['list']['shortId']}")
    assert closed.status_code == 401


async def test_former_tag_counts_down(former: FormerApp) -> None:
    tags, ada = former.made["tags"], former.signed_in("ada")
    page = await former.visitor().client.get(f"/t/{tags['rice']}")
    assert "Rice" in page.text
    tapped = await former.visitor().post(f"/taps/{tags['rice']}", {"delta": -1})
    assert tapped.status_code == 200, tapped.text
    rice = (await ada.get(f"/items/{former.made['items']['rice']}")).json()
    assert rice["quantity"] == 3
    shown = (await former.visitor().client.get(f"/t/{tags['new']}")).text
    assert "Green tea" in shown, "renamed with its item"


async def test_revoked_tag_is_not_found(former: FormerApp) -> None:
    path = f"/taps/{former.made['tags']['old']}"
    assert (await former.visitor().post(path, {"delta": -1})).status_code == 404


async def test_repeated_request_is_answered_as_before(former: FormerApp) -> None:
    made, ada = former.made, former.signed_in("ada")
    body = {"delta": -2}
    tapped = await former.visitor().post(
        f"/taps/{made['tags']['rice']}", body, key="a-tap-of-before"
    )
    assert tapped.json() == made["tapped"]
    book = await ada.post("/books", {"title": "Emma", "status": "READ"}, key="a-book-of-before")
    assert (book.status_code, book.json()) == (201, made["book"])
    again = await ada.post("/shareables", CAMPING, key=LIST_KEY)
    assert again.json()["shortId"] == made["list"]["shortId"]


async def test_former_passcodes_unlock_their_roles(former: FormerApp) -> None:
    path, guest = f"/shareables/{former.made['list']['shortId']}", former.visitor()
    view, admin = [await unlocked_headers(former, word) for word in ("lakeside", "mountain")]
    shown = (await guest.get(path, **view)).json()
    assert [item["name"] for item in shown["items"]] == ["Tent", "Rope", "Map"]
    wanted = {"name": "Stove"}
    assert problem_of(await guest.post(f"{path}/items", wanted, **view))[0] == 403
    assert (await guest.post(f"{path}/items", wanted, **admin)).status_code == 201


async def test_new_list_takes_an_id_from_the_former_pool(former: FormerApp) -> None:
    ada = former.signed_in("ada")
    new = await ada.post("/shareables", {"name": "Garden", "items": [{"name": "Rake"}]})
    assert new.status_code == 201, new.text
    assert new.json()["shortId"] not in {former.made["list"]["shortId"], former.made["gone"]}


async def test_former_books_keep_their_progress_and_notes(former: FormerApp) -> None:
    ada, books = former.signed_in("ada"), former.made["books"]
    shelf = (await ada.get("/books")).json()["items"]
    assert {book["title"]: book["status"] for book in shelf} == {"Dune": "READING", "Emma": "READ"}
    dune = f"/books/{books['dune']}"
    assert (await ada.get(dune)).json()["currentPage"] == 90
    (note,) = (await ada.get(f"{dune}/notes")).json()["items"]
    assert note["content"] == "Sand everywhere"
    assert (await ada.post(f"{dune}/page", {"page": 120})).status_code == 201


async def test_waiting_todos_are_done(
    former: FormerApp, office: PostOffice, moment: Moment
) -> None:
    made = former.made
    moment.pass_by(60)
    await wait_until_empty(former, "TODO")
    await wait_until_empty(former, "REMOVED_BOOKS")
    salt = await former.visitor().post(f"/taps/{made['tags']['salt']}", {"delta": -1})
    assert salt.status_code == 404
    await wait_until_empty(former, "OUTBOX")
    mails = [mail.text for mail in office.mails if "ada@home.local" in mail.to]
    assert any("Rice" in text for text in mails)
    assert any("Cocoa" in text for text in mails)
