"""Every page in a pseudo language without Latin letters, so that untranslated texts stand out."""

import re
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from homeshelf import clock
from homeshelf.accounts.model import digest_of_email
from homeshelf.accounts.tokens import RESET_SECONDS, VERIFICATION_SECONDS, unsubscribe_link
from homeshelf.app import create_app
from homeshelf.shares.model import Shareable
from tests.browser.tour import TOUR
from tests.home import Home, new_home, press, token_in
from tests.pages import OURS
from tests.pseudo_language import plain_in
from tests.routes import every_route
from tests.running import SETTINGS, Person, RunningApp, Visitor

NAME = "Μίνα"


@dataclass(frozen=True)
class Household:
    people: dict[str | None, Visitor]
    """The visitors of the page tour by name."""
    ids: dict[str, str]
    """The ids that occur in the paths of pages."""


async def household_of(running: RunningApp) -> Household:
    home = await new_home(running, "Σπίτι", NAME)
    kid = await home.with_member("Άλβα", "suggester")
    newcomer = await running.person("Βέρα")
    stranger = running.visitor()
    alone = (await new_home(running, "Καλύβα", "Ίνες")).admin
    ids = await _things(home, kid) | await _lists(running, home.admin)
    invited = await home.invite("8@8.8")
    nils, tove = [await _post(home.admin, "/members", name=name) for name in ("Νιλς", "Τόβε")]
    device = running.visitor()
    await press(device, token_in(nils))
    sub = newcomer.member_id
    verify = {"to": "verify", "address": digest_of_email(newcomer.email), "sub": sub}
    ids |= {
        "memberId": kid.member_id,
        "memberId of a child": tove["memberId"],
        "memberId of a child inside": nils["memberId"],
        "link": token_in(tove),
        "link over": "8",
        "invitationId": invited["invitationId"],
        "join": token_in(invited),
        "reset": running.signer.token("mail", RESET_SECONDS, to="reset", era=1, sub=sub),
        "verify": running.signer.token("mail", VERIFICATION_SECONDS, **verify),
        "unsubscribe": unsubscribe_link(running.signer, sub).rpartition("/")[2],
    }
    people = {
        "Mina": home.admin,
        "Alva": kid,
        "Vera": newcomer,
        "Greta": home.admin,
        "Nils": device,
        "Ines": alone,
        None: stranger,
    }
    return Household(people, ids)


async def _things(home: Home, kid: Person) -> dict[str, str]:
    mina = home.admin
    location = await _post(mina, "/locations", name="Κελάρι", description="κάτω")
    await _post(mina, "/locations", name="Ψυγείο")
    shop = await _post(mina, "/stores", name="Αγορά", address="12")
    await _post(mina, "/stores", name="Φούρνος")
    places = {"locationId": location["locationId"], "preferredStoreId": shop["storeId"]}
    item = await _post(mina, "/items", name="Γάλα", quantity=5, threshold=3, unit="λ", **places)
    item_id = item["itemId"]
    for delta in (-1, -3):
        await _post(mina, f"/items/{item_id}/adjust", delta=delta)
    await _post(mina, "/items", name="Ρύζι", quantity=0, threshold=2)
    tag = await _post(mina, f"/items/{item_id}/nfc-urls", label="ράφι")
    await mina.client.get(f"/t/{tag['urlId']}")
    await _post(mina, f"/taps/{tag['urlId']}", delta=1)
    dead = await _post(mina, f"/items/{item_id}/nfc-urls")
    await mina.delete(f"/nfc-urls/{dead['urlId']}")
    entry = await _post(mina, "/shopping-list", name="Ψωμί", storeId=shop["storeId"], quantity=2)
    bought = await _post(mina, "/shopping-list", itemId=item_id)
    ticked = {"status": "purchased", "version": bought["version"]}
    await mina.patch(f"/shopping-list/{bought['shoppingItemId']}/status", ticked)
    wishes = [await _wish(kid, name) for name in ("Μπάλα", "Τούρτα", "Κέικ")]
    await _post(kid, "/suggestions", type="add_to_shopping", itemId=item_id, notes="λίγο")
    for wish, answer in zip(wishes, ("approve", "reject"), strict=False):
        await _post(mina, f"/suggestions/{wish['suggestionId']}/{answer}", version=wish["version"])
    return {
        "itemId": item_id,
        "urlId": tag["urlId"],
        "locationId": location["locationId"],
        "storeId": shop["storeId"],
        "shoppingItemId": entry["shoppingItemId"],
        **await _books(mina),
    }


async def _wish(kid: Person, name: str) -> dict[str, Any]:
    told = {"proposedItemName": name, "proposedQuantity": 3, "proposedThreshold": 1}
    return await _post(kid, "/suggestions", type="create_item", notes="λίγο", **told)


async def _books(mina: Person) -> dict[str, str]:
    known = {"author": "Δώρα", "isbn": "9780306406157", "price": 12.5, "currency": "EUR"}
    book = await _post(mina, "/books", title="Φως", totalPages=300, store="Ωδή", **known)
    path = f"/books/{book['id']}"
    for page in (12, 1_234, 40):
        await mina.post(f"{path}/page", {"page": page})
    await mina.patch(path, {"status": "READING", "purchaseDate": "2026-01-03"})
    note = await _post(mina, f"{path}/notes", content="καλό")
    await mina.patch(f"{path}/notes/{note['id']}", {"content": "κακό"})
    read = await _post(mina, "/books", title="Νύχτα", totalPages=9)
    await mina.patch(f"/books/{read['id']}", {"status": "READ", "rating": 4.5})
    await mina.patch("/me/books/settings", {"yearlyGoal": 12})
    rows = "Title,Exclusive Shelf,My Rating,ISBN\nΨΩΔ,ψλξ,7,12\nΩΨΔ,,,\n,,,\n".encode()
    kind = {"content-type": "text/csv", "accept-language": "el"}
    begun = await mina.post("/books/import", content=rows, headers=kind)
    return {"bookId": book["id"], "importId": begun.json()["importId"]}


async def _lists(running: RunningApp, mina: Person) -> dict[str, str]:
    things = [{"name": "Σκηνή", "note": "πράσινη"}, {"name": "Φακός"}]
    known = {"name": "Λίμνη", "note": "στις 4", "items": things}
    made = await _post(mina, "/shareables", **known)
    tent = made["items"][0]["checklistItemId"]
    path = f"/shareables/{made['shortId']}/items/{tent}"
    await running.visitor().patch(path, {"checked": True, "checkedBy": "Γιαγιά"})
    ended = (await _post(mina, "/shareables", **known))["shortId"]
    shared = await running.db.get(Shareable.key(short_id=ended))
    assert shared is not None
    await running.db.put(shared.changed(expires_at=clock.timestamp()))
    seen = await _post(mina, "/shareables", **known, adminPasscode="1234")
    locked = await _post(mina, "/shareables", **known, viewPasscode="1234")
    return {
        "shortId": made["shortId"],
        "checklistItemId": tent,
        "shortId to view": seen["shortId"],
        "shortId locked": locked["shortId"],
        "shortId ended": ended,
    }


async def _post(who: Visitor, path: str, **body: Any) -> dict[str, Any]:
    answer = await who.post(path, body)
    assert answer.is_success, f"{path}: {answer.text}"
    made: dict[str, Any] = answer.json() if answer.content else {}
    return made


IN_ENGLISH = {"/design"}
"""Pages for developers."""
SAID = re.compile(r'^    "([a-z-]+)": _\(', re.MULTILINE)
MOST_COMMON = ("said", "saved")


@pytest.fixture
async def household(running: RunningApp) -> Household:
    return await household_of(running)


async def opened(who: Visitor, path: str) -> httpx.Response:
    return await who.client.get(path, headers=OURS | {"Accept-Language": "el"})


async def test_every_page_text_comes_from_the_catalogue(household: Household) -> None:
    plain, lost = {}, {}
    for stop in TOUR:
        if stop.route in IN_ENGLISH:
            continue
        path = stop.path(household)  # type: ignore[arg-type]  # it has what the tour needs
        page = await opened(household.people[stop.who], path)
        if page.status_code != stop.status:
            lost[stop.name] = page.status_code
        if left := plain_in(page.text):
            plain[stop.name] = left
    assert plain == {}
    assert lost == {}


async def test_form_errors_come_from_the_catalogue(household: Household) -> None:
    """Each form is sent empty and with far too much, by everyone who may send it."""
    routes = [each for each in every_route(create_app(SETTINGS)) if each.is_page]
    plain, said = {}, 0
    for route in routes:
        if route.method != "POST" or "{token}" in route.path:
            continue
        for typed in ({}, _too_much()):
            for who in ("Mina", "Alva", None):
                client = household.people[who].client
                headers = OURS | {"Accept-Language": "el"}
                answer = await client.post(
                    route.address(household.ids), data=typed, headers=headers
                )
                if "text/html" in answer.headers.get("content-type", ""):
                    said += 1
                    if left := plain_in(answer.text):
                        plain[f"{route} {len(typed)} {who}"] = left
    assert plain == {}
    assert said > 60


def _too_much() -> dict[str, str]:
    names = ("name", "email", "password", "text", "title", "notes", "note", "quantity", "threshold",
             "version", "page", "rating", "price", "currency", "isbn", "viewPasscode", "checked",
             "adminPasscode", "items", "language", "timeZone", "theme", "role", "unit", "picture",
             "yearlyGoal", "expiresInDays", "status", "delta", "key", "answer")  # fmt: skip
    return dict.fromkeys(names, "8" * 5_000)
