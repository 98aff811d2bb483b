"""Every version opens the household data of all earlier versions."""

from tests.former.folder import FormerApp, reopened, wait_until_empty
from tests.home import ids
from tests.identity.issuer import open_issuer
from tests.moment import Moment
from tests.outbox.post_office import PostOffice
from tests.running import problem_of

ITEMS = {"Milk": 4, "Rice": 1, "Tea": 9}


async def test_strangers_stay_out(former: FormerApp) -> None:
    for name in ("gone", "eve"):
        assert problem_of(await former.signed_in(name).get("/items"))[0] == 403, name
    eve = former.signed_in("eve")
    family = {"homeshelf-family": former.made["familyId"]}
    assert problem_of(await eve.get("/items", headers=family)) == (404, "not_found")


async def test_access_tokens_cookies_and_refresh_tokens_are_accepted(former: FormerApp) -> None:
    ada = former.signed_in("ada")
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


async def test_former_password_is_accepted(former: FormerApp) -> None:
    asked = {"email": "charles@home.local", "password": former.made["password"]}
    assert (await former.visitor().post("/tokens", asked)).status_code == 200
    preferences = (await former.signed_in("charles").get("/me/preferences")).json()
    assert preferences["mail"] == "daily"
    assert preferences["theme"] == "dark"


async def test_records_of_the_household_are_listed(former: FormerApp) -> None:
    ada, made = former.signed_in("ada"), former.made
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


async def test_records_of_the_household_can_be_changed(former: FormerApp) -> None:
    ada, made = former.signed_in("ada"), former.made
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


async def test_repeated_request_is_answered_as_before(former: FormerApp) -> None:
    body = {"name": "Milk", "quantity": 4, "threshold": 1}
    headers = {"Idempotency-Key": "a-key-of-before"}
    ada = former.signed_in("ada").client
    again = await ada.post("/api/v1/items", json=body, headers=headers)
    assert again.status_code == 201
    assert again.json() == former.made["replayed"]
    assert len((await former.signed_in("ada").get("/items?status=all")).json()["items"]) == len(
        ITEMS
    )


async def test_former_invitation_is_accepted(former: FormerApp) -> None:
    grandma = await former.person("grandma")
    token = former.made["invitation"]["token"]
    joined = await grandma.post("/invitations/accept", {"token": token})
    assert joined.json()["role"] == "suggester"


async def test_waiting_todos_are_done(former: FormerApp, moment: Moment) -> None:
    made = former.made
    assert len(made["todos"]) > 4
    moment.pass_by(60)
    await wait_until_empty(former, "TODO")
    ada = former.signed_in("ada")
    entry = (await ada.get(f"/shopping-list/{made['entries']['oats']}")).json()
    assert entry["itemId"] is None
    named = {"name": "Beans", "preferredStoreId": made["closedShop"]}
    assert (await ada.post("/items", named)).status_code == 201, "the place is open again"


async def test_waiting_letters_are_sent(
    former: FormerApp, office: PostOffice, moment: Moment
) -> None:
    assert former.made["letters"].count("daily") == 1
    moment.pass_by(60)
    await wait_until_empty(former, "TODO")
    await wait_until_empty(former, "OUTBOX", but=1)
    sent = {to for mail in office.mails for to in mail.to}
    assert sent == {f"{name}@home.local" for name in ("ada", "charles", "eve", "grandma", "kid")}
    assert any("Rice" in mail.text for mail in office.mails if "ada@home.local" in mail.to)
    before = len(office.mails)
    moment.pass_by(24 * 3600)
    await wait_until_empty(former, "OUTBOX")
    (daily,) = office.mails[before:]
    assert daily.to == ["charles@home.local"]
    assert "Rice" in daily.text


async def test_account_of_an_identity_provider_keeps_its_id(former: FormerApp) -> None:
    async with open_issuer() as issuer, reopened(former, issuer.settings) as running:
        grace = running.visitor()
        grace.bear(issuer.token(email="grace@home.local", name="Grace"))
        me = (await grace.get("/me")).json()
        assert me["memberId"] == former.made["grace"]["memberId"]
        assert [family["name"] for family in me["families"]] == ["Hopper"]
