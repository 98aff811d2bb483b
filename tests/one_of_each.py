"""A family that has one of everything, made over the network with the JSON API.

ada = one_of_each(homeshelf.url)
httpx.get(f"{homeshelf.url}/api/v1/taps/{ada.ids['urlId']}")
"""

from dataclasses import dataclass
from itertools import count
from typing import Any

import httpx

PASSWORD = "correct horse battery"
_names = count()


@dataclass(frozen=True)
class Furnished:
    token: str
    kids_token: str
    ids: dict[str, str]


def one_of_each(url: str) -> Furnished:
    with httpx.Client(base_url=f"{url}/api/v1") as ada, httpx.Client(base_url=ada.base_url) as kid:
        token, kids_token = _signed_in(ada, "ada"), _signed_in(kid, "kid")
        _post(ada, "/families", name="Lovelace")
        email = kid.get("/me").json()["email"]
        invited = _post(ada, "/invitations", email=email, role="suggester")
        member = _post(kid, "/invitations/accept", token=invited["link"].rpartition("/")[2])
        waiting = _post(ada, "/invitations", email="b@home.local", role="admin")
        ids = _furnish(ada, kid) | {
            "memberId": member["memberId"],
            "invitationId": waiting["invitationId"],
            "sessionId": ada.get("/me/sessions").json()["items"][0]["sessionId"],
        }
    return Furnished(token, kids_token, ids)


def _furnish(ada: httpx.Client, kid: httpx.Client) -> dict[str, str]:
    item = _post(ada, "/items", name="Milk", quantity=1, threshold=2, barcodes=["96385074"])
    item_id = item["itemId"]
    wish = _post(kid, "/suggestions", type="add_to_shopping", itemId=item_id)
    book = _post(ada, "/books", title="Notes", totalPages=10)
    shared = _post(ada, "/shareables", name="Trip", items=[{"name": "a sock"}])
    notice = ada.get("/notifications").json()["items"][0]
    bought = _post(ada, "/shopping-list", name="Cake")
    ticked = {"status": "purchased", "version": 1}
    ada.patch(f"/shopping-list/{bought['shoppingItemId']}/status", json=ticked)
    usual = ada.get("/shopping-list/usual").json()["items"][0]
    kind = {"content-type": "text/csv"}
    imported = ada.post("/books/import", content="title\nSketch\n", headers=kind)
    return {
        "itemId": item_id,
        "code": item["barcodes"][0],
        "notificationId": notice["notificationId"],
        "locationId": _post(ada, "/locations", name="Fridge")["locationId"],
        "storeId": _post(ada, "/stores", name="Corner shop")["storeId"],
        "shoppingItemId": _post(ada, "/shopping-list", itemId=item_id)["shoppingItemId"],
        "usualId": usual["usualId"],
        "suggestionId": wish["suggestionId"],
        "urlId": _post(ada, f"/items/{item_id}/nfc-urls")["urlId"],
        "shortId": shared["shortId"],
        "checklistItemId": shared["items"][0]["checklistItemId"],
        "bookId": book["id"],
        "noteId": _post(ada, f"/books/{book['id']}/notes", content="Good")["id"],
        "importId": imported.json()["importId"],
    }


def _signed_in(client: httpx.Client, name: str) -> str:
    who = {"email": f"{name}{next(_names)}@home.local", "password": PASSWORD}
    _post(client, "/accounts", **who, name=name.title())
    token: str = _post(client, "/tokens", **who)["accessToken"]
    client.headers["Authorization"] = f"Bearer {token}"
    return token


def _post(client: httpx.Client, path: str, **body: Any) -> dict[str, Any]:
    answer = client.post(path, json=body)
    assert answer.is_success, answer.text
    made: dict[str, Any] = answer.json()
    return made
