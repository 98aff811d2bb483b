"""A household in which every text is an attack. It has the same records as the demo household."""

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from homeshelf.accounts.tokens import unsubscribe_link
from homeshelf.demo.household import PASSWORD
from homeshelf.signing import Signer
from tests.browser.demo_household import NO_CERTIFICATES, Child, DemoHousehold, Resident, end_list
from tests.forked_processes import served
from tests.outbox.post_office import PostOffice
from tests.processes import SECRET

ATTACKS = {
    "breaking out": "'\"></title></textarea><img src=x onerror=hit()>",
    "an attribute": '" onfocus=hit() autofocus x="',
    "a template": "{{1337*3001}}${1337*3001}<%=1337*3001%>hit()",
    "lines and directions": "\u2028hit()\u2029\u200f<b>hit()\u200e\u200f",
    "a script": "</script><script>hit()</script>",
    "a drawing": "<svg/onload=hit()>",
    "an attribute in other quotes": "' onfocus=hit() autofocus x='",
    "an attribute without quotes": "x onfocus=hit() autofocus",
    "the end of a field": "</textarea></select><svg onload=hit()>",
    "a comment": "--><svg onload=hit()><!--",
    "an address": "javascript:hit()//",
    "written twice": "&lt;svg onload=hit()&gt;&#60;svg onload=hit()>",
    "json": '\\"}]\\u003csvg onload=hit()\\u003e',
}
"""Attacks of at most 50 characters, to fit into every field."""
FEW_ATTACKS = 4
"""The number of attacks that include most of the others."""
FILLED_IN = str(1337 * 3001)
"""The result if a template evaluates an attack."""
SPACELESS = "'\"><svg/onload=hit()>"
MARK = "hit()"
_signer = Signer(SECRET.encode())
_PEOPLE = ("Mina", "Alva", "Vera", "Greta", "Ines")


@contextmanager
def hostile_household(
    folder: Path, office: PostOffice, attacks: int = FEW_ATTACKS
) -> Iterator[DemoHousehold]:
    often = ("SIGNUPS", "SIGNINS", "SIGNED_IN", "LINKS", "MAIL", "LETTERS", "INVITATIONS", "NEWS")
    many = {f"HOMESHELF_LIMIT_{name}": "2000/h" for name in often}
    with served(folder, HOMESHELF_DESIGN="on", **many, **office.variables) as homeshelf:
        people = {
            key: _sign_up(homeshelf.url, key, attack)
            for key, attack in zip(_PEOPLE, ATTACKS.values(), strict=False)
        }
        data = folder / "data"
        household = DemoHousehold(homeshelf.url, homeshelf.process.pid, people, data, {})
        for person in people.values():
            token = household.verification_token(person)
            person.ask("POST", "/accounts/verify", {"token": token})
        mina, alva = people["Mina"], people["Alva"]
        for person, attack in ((mina, "breaking out"), (people["Greta"], "a template")):
            person.ask("POST", "/families", {"name": ATTACKS[attack]})
        people["Ines"].ask("POST", "/families", {"name": ATTACKS["a drawing"]})
        invited = mina.ask("POST", "/invitations", {"email": alva.email, "role": "suggester"})
        alva.ask("POST", "/invitations/accept", {"token": _link_token(invited)})
        people["Nils"] = Child(mina, ATTACKS["an attribute"], "🐻")
        for number, attack in enumerate([*ATTACKS.values()][:attacks]):
            household.ids.update(
                {
                    f"{name}{_suffix(number)}": id_
                    for name, id_ in _create_records(household, attack).items()
                }
            )
        household.ids.update(_create_other_records(household))
        yield household
        household.close()


def _suffix(number: int) -> str:
    """Return no suffix for the first attack, whose records have the names of the tour."""
    return "" if number == 0 else f" of attack {number}"


def _sign_up(url: str, key: str, attack: str) -> Resident:
    """Sign up with attacks as name, address and user agent."""
    email = f"{SPACELESS}{key.lower()}@home.local"
    known = {"email": email, "password": PASSWORD, "name": attack}
    with httpx.Client(base_url=f"{url}/api/v1", verify=NO_CERTIFICATES) as client:
        assert client.post("/accounts", json=known).status_code == 201
        client.post("/tokens", json=known | {"name": None}, headers={"User-Agent": SPACELESS})
    return Resident(url, key, email, PASSWORD)


def _create_records(household: DemoHousehold, attack: str) -> dict[str, str]:
    """Create one record of each kind that has free text."""
    mina, alva = household.people["Mina"], household.people["Alva"]
    place = mina.ask("POST", "/locations", {"name": attack, "description": attack})
    store = mina.ask("POST", "/stores", {"name": attack, "address": attack})
    thing = {"name": attack, "unit": attack, "notes": attack, "quantity": 1, "threshold": 2}
    where = {"locationId": place["locationId"], "preferredStoreId": store["storeId"]}
    item = mina.ask("POST", "/items", thing | where)
    by_item = {"itemId": item["itemId"], "notes": attack}
    tag = mina.ask("POST", f"/items/{item['itemId']}/nfc-urls", {"label": attack})
    free = {"name": f"{attack}.", "notes": attack, "storeId": store["storeId"]}
    entry = mina.ask("POST", "/shopping-list", free)
    bought = mina.ask("POST", "/shopping-list", by_item)
    path = f"/shopping-list/{bought['shoppingItemId']}/status"
    mina.ask("PATCH", path, {"status": "purchased", "version": 1})
    more = mina.ask("POST", "/shopping-list", {"name": f"{attack}!"})
    path = f"/shopping-list/{more['shoppingItemId']}/status"
    mina.ask("PATCH", path, {"status": "purchased", "version": 1})
    mina.ask("GET", "/shopping-list/order?storeId=unassigned")  # waits until all ticks are learned
    _create_wishes(mina, alva, item["itemId"], attack)
    return {
        "itemId": item["itemId"],
        "locationId": place["locationId"],
        "storeId": store["storeId"],
        "urlId": tag["urlId"],
        "shoppingItemId": entry["shoppingItemId"],
        **_read(mina, attack),
        **_create_list(mina, attack),
    }


def _create_wishes(mina: Resident, alva: Resident, item_id: str, attack: str) -> None:
    """Create pending, approved and rejected suggestions of both types."""
    new = {"type": "create_item", "proposedItemName": attack, "notes": attack}
    asked = {"type": "add_to_shopping", "itemId": item_id, "notes": attack}
    for wish in (new, asked):
        made = alva.ask("POST", "/suggestions", wish)
        no = {"version": made["version"], "rejectionNotes": attack}
        mina.ask("POST", f"/suggestions/{made['suggestionId']}/reject", no)
    made = alva.ask("POST", "/suggestions", new | {"proposedItemName": f"{attack}?"})
    path = f"/suggestions/{made['suggestionId']}/approve"
    mina.ask("POST", path, {"version": made["version"]})
    for wish in (new, asked):
        alva.ask("POST", "/suggestions", wish)


def _read(mina: Resident, attack: str) -> dict[str, str]:
    written = ("author", "description", "store", "boughtAt")
    about = dict.fromkeys(written, attack) | {"title": attack, "totalPages": 9}
    for status in ("SHELF", "READ"):
        mina.ask("POST", "/books", about | {"status": status})
    book = mina.ask("POST", "/books", about | {"status": "READING", "currentPage": 3})
    mina.ask("POST", f"/books/{book['id']}/notes", {"content": attack})
    return {"bookId": book["id"]}


def _create_list(mina: Resident, attack: str) -> dict[str, str]:
    things = [{"name": f"{attack}{n}", "note": attack} for n in range(2)]
    content = {"name": attack, "note": attack, "items": things}
    made = mina.ask("POST", "/shareables", content)
    one = made["items"][0]["checklistItemId"]
    path = f"/shareables/{made['shortId']}/items/{one}"
    mina.ask("PATCH", path, {"checked": True, "checkedBy": attack})
    return {"shortId": made["shortId"], "checklistItemId": one}


def _create_other_records(household: DemoHousehold) -> dict[str, str]:
    """Create the other records that the tour needs."""
    mina, vera = household.people["Mina"], household.people["Vera"]
    first = next(iter(ATTACKS.values()))
    content = {"name": first, "note": first, "items": [{"name": first, "note": first}]}
    view, admin = {"viewPasscode": "lake"}, {"adminPasscode": "shore"}
    lists = {
        f"shortId {named}": mina.ask("POST", "/shareables", content | more)["shortId"]
        for named, more in (("to view", admin), ("locked", view), ("ended", {}))
    }
    end_list(household.data, lists["shortId ended"])
    olle = f"{SPACELESS}olle@home.local"
    invited = mina.ask("POST", "/invitations", {"email": olle, "role": "suggester"})
    tove = mina.ask("POST", "/members", {"name": first, "picture": "🦊"})
    nils = household.people["Nils"].member_id
    mina.ask("POST", f"/members/{nils}/email", {"email": f"{SPACELESS}nils@home.local"})
    changed = {"email": f"{SPACELESS}new@home.local", "currentPassword": PASSWORD}
    mina.ask("POST", "/me/email", changed)
    return {
        **lists,
        "memberId": household.people["Alva"].member_id,
        "memberId of a child": tove["memberId"],
        "memberId of a child inside": household.people["Nils"].member_id,
        "link": _link_token(tove),
        "link over": quote(SPACELESS, safe=""),
        "importId": _import_rows(mina),
        "invitationId": invited["invitationId"],
        "join": _link_token(invited),
        "reset": household.reset_token(vera),
        "verify": household.verification_token(vera),
        "unsubscribe": unsubscribe_link(_signer, vera.member_id).rpartition("/")[2],
    }


def _import_rows(mina: Resident) -> str:
    """Import rows with errors."""
    table = io.StringIO()
    rows = [(attack, SPACELESS) for attack in ATTACKS.values()]
    csv.writer(table).writerows([("Title", "Read Status"), *rows])
    content = table.getvalue()
    answer = mina.api.post(
        "/books/import", content=content.encode(), headers={"content-type": "text/csv"}
    )
    assert answer.status_code == 202, answer.text
    return str(answer.json()["importId"])


def _link_token(made: dict[str, Any]) -> str:
    return str(made["link"]).rpartition("/")[2]
