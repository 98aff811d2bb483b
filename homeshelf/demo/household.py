"""The Lindqvists: two adults, two kids, a pantry and a cellar. Everything comes by the API.

They have things at home, a list of what to buy, and wishes that wait for a yes.
"""

from typing import Any

from fastapi import FastAPI

from homeshelf.demo.inside import Person

PASSWORD = "homeshelf demo"  # noqa: S105  # everybody may know it
FAMILY = "The Lindqvists"
PEOPLE = {"Mina": "admin", "Jonas": "admin", "Alva": "suggester", "Noah": "suggester"}
"""Mina comes first and lets the others in."""

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
ITEMS: list[tuple[str, int, int, str, str, str | None]] = [
    # name, how many there are, the threshold, where they are kept, where they are bought, unit
    ("Oat milk", 2, 3, "Pantry", "Corner shop", "cartons"),
    ("Spaghetti", 5, 2, "Pantry", "Corner shop", "packs"),
    ("Rice", 1, 1, "Pantry", "Corner shop", "kg"),
    ("Tinned tomatoes", 8, 4, "Pantry", "Corner shop", "tins"),
    ("Coffee", 1, 2, "Pantry", "Market", None),
    ("Eggs", 6, 6, "Fridge", "Market", None),
    ("Butter", 2, 1, "Fridge", "Corner shop", "packs"),
    ("Cheddar", 1, 1, "Fridge", "Market", None),
    ("Peas", 3, 1, "Freezer", "Corner shop", "bags"),
    ("Bread rolls", 12, 6, "Freezer", "Market", None),
    ("Toothpaste", 0, 1, "Bathroom", "Drugstore", "tubes"),
    ("Toilet paper", 9, 4, "Bathroom", "Drugstore", "rolls"),
]
TO_BUY = ("Oat milk", "Coffee", "Toothpaste", "Eggs")
"""What they have run out of, as it stands on the list."""
ALSO_TO_BUY = [
    {"name": "Candles", "quantity": 2, "notes": "The long ones"},
    {"name": "Birthday cake"},
]
WISHES = {"Alva": ("Peas", "With butter, please"), "Noah": ("Bread rolls", None)}
NEW_WISH = ("Alva", "Strawberry jam", "Grandma's is all gone")


def email_of(name: str) -> str:
    return f"{name.lower()}@demo.example"


async def move_in(app: FastAPI) -> None:
    mina, *others = [await _arrived(app, name) for name in PEOPLE]
    await mina.post("/families", {"name": FAMILY})
    for person, (name, role) in zip(others, list(PEOPLE.items())[1:], strict=True):
        invitation = await mina.post("/invitations", {"email": email_of(name), "role": role})
        token = invitation["link"].rpartition("/")[2]
        await person.post("/invitations/accept", {"token": token})
    items = await _fill_the_shelves(mina)
    await _write_the_list(mina, items)
    await _make_wishes(dict(zip(PEOPLE, [mina, *others], strict=True)), items)


async def _arrived(app: FastAPI, name: str) -> Person:
    """Somebody who has signed up and in."""
    person, known = Person(app), {"email": email_of(name), "password": PASSWORD}
    await person.post("/accounts", known | {"name": name})
    person.token = (await person.post("/tokens", known))["accessToken"]
    return person


async def _fill_the_shelves(mina: Person) -> dict[str, str]:
    """The id of everything by its name."""
    locations = {
        name: (await mina.post("/locations", _given(name=name, description=text)))["locationId"]
        for name, text in LOCATIONS.items()
    }
    stores = {
        name: (await mina.post("/stores", {"name": name, "address": address}))["storeId"]
        for name, address in STORES.items()
    }
    items = {}
    for name, quantity, threshold, location, store, unit in ITEMS:
        item = _given(
            name=name,
            quantity=quantity,
            threshold=threshold,
            locationId=locations[location],
            preferredStoreId=stores[store],
            unit=unit,
        )
        items[name] = (await mina.post("/items", item))["itemId"]
    return items


async def _write_the_list(mina: Person, items: dict[str, str]) -> None:
    for name in TO_BUY:
        await mina.post("/shopping-list", {"itemId": items[name]})
    for entry in ALSO_TO_BUY:
        await mina.post("/shopping-list", entry)


async def _make_wishes(people: dict[str, Person], items: dict[str, str]) -> None:
    for child, (name, why) in WISHES.items():
        wish = {"type": "add_to_shopping", "itemId": items[name]}
        await people[child].post("/suggestions", _given(**wish, notes=why))
    child, name, why = NEW_WISH
    wish = {"type": "create_item", "proposedItemName": name}
    await people[child].post(
        "/suggestions", _given(**wish, proposedQuantity=0, proposedThreshold=1, notes=why)
    )


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
