"""Create the demo households: the Lindqvists, and their neighbour Ines, a new user."""

from typing import Any

from fastapi import FastAPI

from homeshelf import clock
from homeshelf.demo.sample_data import SAMPLE, create_books, create_items
from homeshelf.table import Database
from homeshelf.web.json import decode, encode
from homeshelf.web.services import services_of

PASSWORD = "homeshelf demo"  # noqa: S105  # published with the demo
FAMILY = "The Lindqvists"
PEOPLE = {"Mina": "admin", "Jonas": "admin", "Alva": "suggester", "Noah": "suggester"}
YOUNGEST = {"name": "Ida", "picture": "🐞"}
NEIGHBOUR = "Ines"


class DemoClient:
    """A client of the JSON API without a network; signed in when it has a token."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self.token: str | None = None

    async def post(self, path: str, body: Any) -> dict[str, Any]:
        return await self.request("POST", path, body)

    async def request(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        if self.token:
            headers.append((b"authorization", f"Bearer {self.token}".encode()))
        scope = {
            "type": "http",
            "method": method,
            "scheme": "http",
            "path": f"/api/v1{path}",
            "query_string": b"",
            "headers": headers,
            "client": ("127.0.0.1", 0),
        }
        sent: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": encode(body or {}), "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        await self._app(scope, receive, send)
        status, content = sent[0]["status"], b"".join(each.get("body", b"") for each in sent)
        if status >= 300:
            raise RuntimeError(f"{method} {path} was answered with {status}: {content.decode()}")
        answer: dict[str, Any] = decode(content or b"{}")
        return answer


def email_of(name: str) -> str:
    return f"{name.lower()}@demo.example"


async def create_households(app: FastAPI) -> None:
    people = {name: await _sign_up(app, name) for name in PEOPLE}
    mina, db = people["Mina"], services_of(app).db
    await mina.post("/families", {"name": FAMILY})
    for name in ("Jonas", "Alva", "Noah"):
        invited = {"email": email_of(name), "role": PEOPLE[name]}
        invitation = await mina.post("/invitations", invited)
        await people[name].post(
            "/invitations/accept", {"token": invitation["link"].rpartition("/")[2]}
        )
    ida = await mina.post("/members", YOUNGEST)  # no e-mail: a link signs her tablet in
    await DemoClient(app).post("/tokens/link", {"token": ida["link"].rpartition("/")[2]})
    items = await _create_stock(db, mina)
    for entry in (*({"itemId": items[name]} for name in SAMPLE.to_buy), *SAMPLE.also_to_buy):
        await mina.post("/shopping-list", entry)
    for name, labels in SAMPLE.tags.items():
        for label in labels:
            await mina.post(f"/items/{items[name]}/nfc-urls", {"label": label})
    for name, codes in SAMPLE.barcodes.items():
        path = f"/items/{items[name]}"
        version = (await mina.request("GET", path))["version"]
        await mina.request("PATCH", path, {"barcodes": codes, "version": version})
    await _share_list(mina)
    await _make_wishes(people, items)
    readers = {name: (await it.request("GET", "/me"))["memberId"] for name, it in people.items()}
    await create_books(db, readers, clock.now())
    await _create_neighbour(app)


async def _sign_up(app: FastAPI, name: str) -> DemoClient:
    person, known = DemoClient(app), {"email": email_of(name), "password": PASSWORD}
    await person.post("/accounts", known | {"name": name})
    person.token = (await person.post("/tokens", known))["accessToken"]
    return person


async def _create_neighbour(app: FastAPI) -> None:
    ines = await _sign_up(app, NEIGHBOUR)
    await ines.post("/families", {"name": "Mill Lane 5"})
    kitchen = await ines.post("/locations", {"name": "Kitchen"})
    for name in ("Coffee", "Milk", "Rice"):
        known = {"name": name, "quantity": 2, "threshold": 1}
        await ines.post("/items", known | {"locationId": kitchen["locationId"]})


async def _create_stock(db: Database, mina: DemoClient) -> dict[str, str]:
    places = {}
    for name, text in SAMPLE.locations.items():
        made = await mina.post("/locations", {"name": name, "description": text})
        places[name] = made["locationId"]
    for name, address in SAMPLE.stores.items():
        places[name] = (await mina.post("/stores", {"name": name, "address": address}))["storeId"]
    family_id = (await mina.request("GET", "/family"))["familyId"]
    members = (await mina.request("GET", "/members"))["items"]
    adults = [member["memberId"] for member in members if member["role"] == "admin"]
    return await create_items(db, family_id, adults, places, clock.now())


async def _share_list(mina: DemoClient) -> None:
    shared = await mina.post("/shareables", SAMPLE.packing)
    for item in shared["items"]:
        if by := SAMPLE.packed.get(item["name"]):
            path = f"/shareables/{shared['shortId']}/items/{item['checklistItemId']}"
            await mina.request("PATCH", path, {"checked": True, "checkedBy": by})


async def _make_wishes(people: dict[str, DemoClient], items: dict[str, str]) -> None:
    async def wish(child: str, name: str, **more: Any) -> str:
        wished = {"type": "create_item", "proposedItemName": name, **more}
        id_: str = (await people[child].post("/suggestions", wished))["suggestionId"]
        return f"/suggestions/{id_}"

    mina = people["Mina"]
    popcorn = await wish("Alva", "Popcorn", proposedQuantity=2, notes="For film night")
    made = await mina.post(f"{popcorn}/approve", {"version": 1})
    await mina.post("/shopping-list", {"itemId": made["created"]["itemId"]})
    fireworks = await wish("Noah", "Fireworks")
    refusal = {"version": 1, "rejectionNotes": "Not before New Year's Eve"}
    await mina.post(f"{fireworks}/reject", refusal)
    for child, name, why in SAMPLE.wishes:
        wished = {"type": "add_to_shopping", "itemId": items[name], "notes": why}
        await people[child].post("/suggestions", wished)
    why = "Grandma's is all gone"
    await wish("Alva", "Strawberry jam", proposedQuantity=0, proposedThreshold=1, notes=why)
