"""The Lindqvists: two adults, three kids, a pantry and a cellar. All but the past comes by the API.

They have things at home, a list of what to buy, wishes and answers, books, and a list that they
share with the class. Ines, next door, has just moved in: her Home says what to do next.
"""

from typing import Any

from fastapi import FastAPI

from homeshelf import clock
from homeshelf.demo.shelves import fill, fill_library
from homeshelf.table import Database
from homeshelf.web.json import decode, encode

PASSWORD = "homeshelf demo"  # noqa: S105  # everybody may know it
FAMILY = "The Lindqvists"
PEOPLE = {"Mina": "admin", "Jonas": "admin", "Alva": "suggester", "Noah": "suggester"}
"""Mina comes first and lets the others in."""
YOUNGEST = {"name": "Ida", "picture": "🐞"}
"""Has no e-mail: a link signs her tablet in."""
NEIGHBOUR, HER_FAMILY = "Ines", "Mill Lane 5"
HER_THINGS = ("Coffee", "Milk", "Rice")

LOCATIONS = {
    "Pantry": "Left of the kitchen door",
    "Fridge": None,
    "Freezer": "In the cellar",
    "Bathroom": None,
}
STORES = {
    "Corner shop": "Mill Lane 3",
    "Market": "Town square, Saturdays",
    "Drugstore": "Station Road 18",
}
TO_BUY = ("Oat milk", "Coffee", "Toothpaste", "Eggs")
"""What they have run out of, as it stands on the list."""
ALSO_TO_BUY = [
    {"name": "Candles", "quantity": 2, "notes": "The long ones"},
    {"name": "Birthday cake"},
]
WISHES = {"Alva": ("Peas", "With butter, please"), "Noah": ("Bread rolls", None)}
NEW_WISH = ("Alva", "Strawberry jam", "Grandma's is all gone")
GRANTED = ("Alva", "Popcorn", "For film night")
"""Something new that is in the stock and on the list by now."""
DENIED = ("Noah", "Fireworks", "Not before New Year's Eve")


TAGS = {"Toilet paper": ("bathroom",), "Coffee": ("pantry", "machine")}
"""What has tags, and where they are."""


BARCODES = {"Oat milk": ["2000000000015"], "Rice": ["2000000000022", "20000035"]}
"""Of those that shops give to what they pack themselves, so that they are no product's."""


PACKING = {
    "name": "Class trip to the lake",
    "note": "The bus leaves at 8:15 from the school gate.",
    "items": [
        {"name": "Swimming things", "note": "And a towel"},
        {"name": "Rain jacket"},
        {"name": "Sandwiches"},
        {"name": "Water bottle"},
        {"name": "Sun cream"},
        {"name": "Pocket money", "note": "5 euros at most"},
    ],
}
PACKED = {"Rain jacket": "Alva", "Water bottle": "Noah"}
"""What is ticked on the shared list, and by whom."""


class Person:
    """Uses the JSON API, without a network between; signed in once they have a token."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self.token: str | None = None

    async def post(self, path: str, body: Any) -> dict[str, Any]:
        return await self.ask("POST", path, body)

    async def ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """The answer, which must be a success: the demo asks only for what is allowed."""
        headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        if self.token:
            headers.append((b"authorization", f"Bearer {self.token}".encode()))
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": f"/api/v1{path}",
            "raw_path": f"/api/v1{path}".encode(),
            "query_string": b"",
            "root_path": "",
            "headers": headers,
            "client": ("127.0.0.1", 0),
            "server": ("localhost", 80),
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


async def move_in(app: FastAPI) -> None:
    mina, *others = [await _arrived(app, name) for name in PEOPLE]
    await mina.post("/families", {"name": FAMILY})
    for person, (name, role) in zip(others, list(PEOPLE.items())[1:], strict=True):
        invitation = await mina.post("/invitations", {"email": email_of(name), "role": role})
        await person.post("/invitations/accept", {"token": invitation["link"].rpartition("/")[2]})
    ida = await mina.post("/members", YOUNGEST)
    await Person(app).post("/tokens/link", {"token": ida["link"].rpartition("/")[2]})
    items = await _fill_the_shelves(app.state.services.db, mina)
    for entry in (*({"itemId": items[name]} for name in TO_BUY), *ALSO_TO_BUY):
        await mina.post("/shopping-list", entry)
    for name, labels in TAGS.items():
        for label in labels:
            await mina.post(f"/items/{items[name]}/nfc-urls", {"label": label})
    for name, codes in BARCODES.items():
        path = f"/items/{items[name]}"
        version = (await mina.ask("GET", path))["version"]
        await mina.ask("PATCH", path, {"barcodes": codes, "version": version})
    await _share_a_list(mina)
    people = dict(zip(PEOPLE, [mina, *others], strict=True))
    await _make_wishes(people, items)
    readers = {name: (await it.ask("GET", "/me"))["memberId"] for name, it in people.items()}
    await fill_library(app.state.services.db, readers, clock.now())
    await _move_in_next_door(app)


async def _arrived(app: FastAPI, name: str) -> Person:
    person, known = Person(app), {"email": email_of(name), "password": PASSWORD}
    await person.post("/accounts", known | {"name": name})
    person.token = (await person.post("/tokens", known))["accessToken"]
    return person


async def _move_in_next_door(app: FastAPI) -> None:
    """She has unpacked a little."""
    ines = await _arrived(app, NEIGHBOUR)
    await ines.post("/families", {"name": HER_FAMILY})
    kitchen = await ines.post("/locations", {"name": "Kitchen"})
    for name in HER_THINGS:
        known = {"name": name, "quantity": 2, "threshold": 1}
        await ines.post("/items", known | {"locationId": kitchen["locationId"]})


async def _fill_the_shelves(db: Database, mina: Person) -> dict[str, str]:
    places = {
        name: (await mina.post("/locations", _given(name=name, description=text)))["locationId"]
        for name, text in LOCATIONS.items()
    }
    for name, address in STORES.items():
        places[name] = (await mina.post("/stores", {"name": name, "address": address}))["storeId"]
    family_id = (await mina.ask("GET", "/family"))["familyId"]
    members = (await mina.ask("GET", "/members"))["items"]
    adults = [member["memberId"] for member in members if member["role"] == "admin"]
    return await fill(db, family_id, adults, places, clock.now())


async def _share_a_list(mina: Person) -> None:
    shared = await mina.post("/shareables", PACKING)
    for item in shared["items"]:
        if by := PACKED.get(item["name"]):
            path = f"/shareables/{shared['shortId']}/items/{item['checklistItemId']}"
            await mina.ask("PATCH", path, {"checked": True, "checkedBy": by})


async def _make_wishes(people: dict[str, Person], items: dict[str, str]) -> None:
    await _decide_wishes(people)
    for child, (name, why) in WISHES.items():
        wish = {"type": "add_to_shopping", "itemId": items[name]}
        await people[child].post("/suggestions", _given(**wish, notes=why))
    child, name, why = NEW_WISH
    wish = {"type": "create_item", "proposedItemName": name}
    await people[child].post(
        "/suggestions", _given(**wish, proposedQuantity=0, proposedThreshold=1, notes=why)
    )


async def _decide_wishes(people: dict[str, Person]) -> None:
    mina = people["Mina"]
    child, name, why = GRANTED
    wish = {"type": "create_item", "proposedItemName": name}
    asked = await people[child].post("/suggestions", {**wish, "proposedQuantity": 2, "notes": why})
    path = f"/suggestions/{asked['suggestionId']}"
    made = await mina.post(f"{path}/approve", {"version": 1})
    await mina.post("/shopping-list", {"itemId": made["created"]["itemId"]})
    child, name, reason = DENIED
    asked = await people[child].post("/suggestions", {**wish, "proposedItemName": name})
    path = f"/suggestions/{asked['suggestionId']}"
    await mina.post(f"{path}/reject", {"version": 1, "rejectionNotes": reason})


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
