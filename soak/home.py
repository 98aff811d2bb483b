"""Create the family of the soak test."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from random import Random

from soak.day import TITLES, Household
from soak.person import Measurements, Person
from tests.outbox.post_office import PostOffice

PASSWORD = "correct horse battery"
ITEMS, TAGS = 120, 8


@asynccontextmanager
async def start_household(
    url: str, measured: Measurements, post_office: PostOffice, dice: Random
) -> AsyncIterator[Household]:
    people = [Person(url, measured) for _ in range(4)]
    try:
        yield await _create_household(people, dice, post_office)
    finally:
        for person in people:
            await person.session.close()


async def _create_household(
    people: Sequence[Person], dice: Random, post_office: PostOffice
) -> Household:
    ada, charles, child, stranger = people
    for person, name in ((ada, "ada"), (charles, "charles"), (child, "kid")):
        email = f"{name}@home.local"
        account = {"email": email, "password": PASSWORD, "name": name}
        await person.ask("POST", "/accounts", account)
        await person.sign_in(email, PASSWORD)
    await ada.ask("POST", "/accounts/verify", {"token": await _verification_token(post_office)})
    await ada.ask("PATCH", "/me/preferences", {"mail": "now"})
    await ada.ask("POST", "/families", {"name": "Lovelace"})
    for person, name, role in ((charles, "charles", "admin"), (child, "kid", "suggester")):
        response = await ada.ask(
            "POST", "/invitations", {"email": f"{name}@home.local", "role": role}
        )
        token = response["link"].rpartition("/")[2]
        await person.ask("POST", "/invitations/accept", {"token": token})
    stock = [
        {"name": f"Thing {number}", "quantity": dice.randrange(30), "threshold": 3}
        for number in range(ITEMS)
    ]
    items: list[str] = []
    for first in range(0, ITEMS, 60):
        response = await ada.ask("POST", "/items/batch", {"items": stock[first : first + 60]})
        items += [each["itemId"] for each in response["items"]]
    tags = [
        (await ada.ask("POST", f"/items/{item}/nfc-urls", {}))["urlId"] for item in items[:TAGS]
    ]
    list_items = [{"name": f"Thing {number}"} for number in range(30)]
    shared = await ada.ask("POST", "/shareables", {"name": "Camping", "items": list_items})
    books = [
        (await ada.ask("POST", "/books", {"title": title, "totalPages": 300}))["id"]
        for title in TITLES
    ]
    return Household((ada, charles), child, stranger, items, tags, shared, books, dice)


async def _verification_token(post_office: PostOffice) -> str:
    """Return the token of Ada's verification mail; without verification no other mail is sent."""
    await post_office.mail(3)
    (mail,) = (mail for mail in post_office.mails if mail.to == ["ada@home.local"])
    return mail.link.rpartition("/")[2]
