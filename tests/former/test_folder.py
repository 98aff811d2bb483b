"""A household's data is opened by every version that comes after the one that wrote it."""

from tests.former.folder import Former, another, nothing_waits
from tests.home import ids
from tests.identity.issuer import open_issuer
from tests.moment import Moment
from tests.outbox.post_office import PostOffice
from tests.running import problem_of

ITEMS = {"Milk": 4, "Rice": 1, "Tea": 9}


async def test_who_was_a_stranger_is_still_one(former: Former) -> None:
    for name in ("gone", "eve"):
        assert problem_of(await former.known(name).get("/items"))[0] == 403, name
    eve = former.known("eve")
    family = {"homeshelf-family": former.made["familyId"]}
    assert problem_of(await eve.get("/items", headers=family)) == (404, "not_found")


async def test_access_tokens_cookies_and_refresh_tokens_hold(former: Former) -> None:
    ada = former.known("ada")
    me = (await ada.get("/me")).json()
    assert me["memberId"] == former.made["ada"]["memberId"]
    assert me["emailVerified"] is True
    browser = former.visitor().client
    browser.cookies.set("homeshelf", former.made["ada"]["cookie"])
    page = await browser.get("/list")
    assert page.status_code == 200
    assert "Salt" in page.text
    asked = {"refreshToken": former.made["kid"]["refreshToken"]}
    fresh = (await former.visitor().post("/tokens/refresh", asked)).json()
    kid = former.visitor()
    kid.bear(fresh["accessToken"])
    assert (await kid.get("/items")).status_code == 200


async def test_a_password_is_still_the_password(former: Former) -> None:
    asked = {"email": "charles@home.local", "password": former.made["password"]}
    assert (await former.visitor().post("/tokens", asked)).status_code == 200
    preferences = (await former.known("charles").get("/me/preferences")).json()
    assert preferences["mail"] == "daily"
    assert preferences["theme"] == "dark"


async def test_what_the_household_wrote_down_is_there(former: Former) -> None:
    ada, made = former.known("ada"), former.made
    items = (await ada.get("/items?status=all")).json()["items"]
    assert {item["name"]: item["quantity"] for item in items} == ITEMS
    rice = next(item for item in items if item["name"] == "Rice")
    assert (rice["locationId"], rice["preferredStoreId"]) == (made["pantry"], made["shop"])
    history = (await ada.get(f"/items/{rice['itemId']}/history")).json()["items"]
    assert [change["delta"] for change in history] == [-2, 3]
    more = await ada.get(f"/items?status=all&limit=1&nextToken={made['nextToken']}")
    assert ids(more, "itemId") == [items[1]["itemId"]]
    entries = (await ada.get("/shopping-list")).json()["items"]
    assert {entry["name"]: entry["status"] for entry in entries} == {
        "Oats": "pending",
        "Bread": "purchased",
        "Salt": "pending",
    }
    wishes = (await ada.get("/suggestions")).json()["suggestions"]
    assert [wish["status"] for wish in wishes] == ["rejected", "pending"]
    (notice,) = (await ada.get("/notifications")).json()["items"]
    assert (notice["itemName"], notice["status"]) == ("Rice", "active")
    members = (await ada.get("/members")).json()["items"]
    assert {member["name"] for member in members} == {"Ada", "Charles", "Kid"}


async def test_what_was_written_down_can_be_changed(former: Former) -> None:
    ada, made = former.known("ada"), former.made
    bread = f"/shopping-list/{made['entries']['bread']}"
    changed = await ada.patch(f"{bread}/status", {"status": "pending", "version": 2})
    assert changed.json()["status"] == "pending"
    adjusted = await ada.post(f"/items/{made['items']['rice']}/adjust", {"delta": 5})
    assert adjusted.json()["item"]["quantity"] == 6
    (notice,) = (await ada.get("/notifications")).json()["items"]
    assert notice["status"] == "resolved"
    wish = f"/suggestions/{made['suggestions']['pending']}"
    approved = await ada.post(f"{wish}/approve", {"version": 1})
    assert approved.json()["suggestion"]["status"] == "approved"


async def test_a_repeated_request_is_answered_as_it_was(former: Former) -> None:
    body = {"name": "Milk", "quantity": 4, "threshold": 1}
    headers = {"Idempotency-Key": "a-key-of-before"}
    ada = former.known("ada").client
    again = await ada.post("/api/v1/items", json=body, headers=headers)
    assert again.status_code == 201
    assert again.json() == former.made["replayed"]
    assert len((await former.known("ada").get("/items?status=all")).json()["items"]) == len(ITEMS)


async def test_an_invitation_lets_in_whom_it_was_for(former: Former) -> None:
    grandma = await former.person("grandma")
    token = former.made["invitation"]["token"]
    joined = await grandma.post("/invitations/accept", {"token": token})
    assert joined.json()["role"] == "suggester"


async def test_work_that_was_left_half_way_is_finished(former: Former, moment: Moment) -> None:
    made = former.made
    assert len(made["todos"]) > 4
    moment.pass_by(60)
    await nothing_waits(former, "TODO")
    ada = former.known("ada")
    entry = (await ada.get(f"/shopping-list/{made['entries']['oats']}")).json()
    assert entry["itemId"] is None
    named = {"name": "Beans", "preferredStoreId": made["closedShop"]}
    assert (await ada.post("/items", named)).status_code == 201, "the place is open again"


async def test_mail_that_waited_is_sent(former: Former, office: PostOffice, moment: Moment) -> None:
    assert former.made["letters"].count("daily") == 1
    moment.pass_by(60)
    await nothing_waits(former, "TODO")
    await nothing_waits(former, "OUTBOX", but=1)
    sent = {to for mail in office.mails for to in mail.to}
    assert sent == {f"{name}@home.local" for name in ("ada", "charles", "eve", "grandma", "kid")}
    assert any("Rice" in mail.text for mail in office.mails if "ada@home.local" in mail.to)
    before = len(office.mails)
    moment.pass_by(24 * 3600)
    await nothing_waits(former, "OUTBOX")
    (daily,) = office.mails[before:]
    assert daily.to == ["charles@home.local"]
    assert "Rice" in daily.text


async def test_a_person_of_an_identity_provider_is_kept(former: Former) -> None:
    async with open_issuer() as issuer, another(former, issuer.settings) as running:
        grace = running.visitor()
        grace.bear(issuer.token(email="grace@home.local", name="Grace"))
        me = (await grace.get("/me")).json()
        assert me["memberId"] == former.made["grace"]["memberId"]
        assert [family["name"] for family in me["families"]] == ["Hopper"]
