"""The family as it is when the first day begins."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from random import Random

from soak.day import TITLES, Household
from soak.person import Answers, Person
from tests.outbox.post_office import PostOffice

PASSWORD = "correct horse battery"
ITEMS, TAGS = 120, 8


@asynccontextmanager
async def moved_in(
    url: str, answers: Answers, office: PostOffice, dice: Random
) -> AsyncIterator[Household]:
    people = [Person(url, answers) for _ in range(4)]
    try:
        yield await _household(people, dice, office)
    finally:
        for person in people:
            await person.session.close()


async def _household(people: Sequence[Person], dice: Random, office: PostOffice) -> Household:
    ada, charles, kid, stranger = people
    for person, name in ((ada, "ada"), (charles, "charles"), (kid, "kid")):
        email = f"{name}@home.local"
        known = {"email": email, "password": PASSWORD, "name": name}
        await person.ask("POST", "/accounts", known)
        await person.sign_in(email, PASSWORD)
    await ada.ask("POST", "/accounts/verify", {"token": await _verification(office)})
    await ada.ask("PATCH", "/me/preferences", {"mail": "now"})
    await ada.ask("POST", "/families", {"name": "Lovelace"})
    for person, name, role in ((charles, "charles", "admin"), (kid, "kid", "suggester")):
        made = await ada.ask("POST", "/invitations", {"email": f"{name}@home.local", "role": role})
        token = made["link"].rpartition("/")[2]
        await person.ask("POST", "/invitations/accept", {"token": token})
    stock = [
        {"name": f"Thing {number}", "quantity": dice.randrange(30), "threshold": 3}
        for number in range(ITEMS)
    ]
    items: list[str] = []
    for first in range(0, ITEMS, 60):
        made = await ada.ask("POST", "/items/batch", {"items": stock[first : first + 60]})
        items += [each["itemId"] for each in made["items"]]
    tags = [
        (await ada.ask("POST", f"/items/{item}/nfc-urls", {}))["urlId"] for item in items[:TAGS]
    ]
    things = [{"name": f"Thing {number}"} for number in range(30)]
    shared = await ada.ask("POST", "/shareables", {"name": "Camping", "items": things})
    books = [
        (await ada.ask("POST", "/books", {"title": title, "totalPages": 300}))["id"]
        for title in TITLES
    ]
    return Household((ada, charles), kid, stranger, items, tags, shared, books, dice)


async def _verification(office: PostOffice) -> str:
    """Verify the address, without which no other mail is sent."""
    await office.mail(3)
    (mail,) = (mail for mail in office.mails if mail.to == ["ada@home.local"])
    return mail.link.rpartition("/")[2]
