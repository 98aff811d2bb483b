"""The demo household, served by a separate process, and its people."""

import asyncio
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
from playwright.async_api import BrowserContext

from homeshelf import clock
from homeshelf.accounts.model import digest_of_email
from homeshelf.accounts.tokens import (
    ACCESS_SECONDS,
    RESET_SECONDS,
    VERIFICATION_SECONDS,
    unsubscribe_link,
)
from homeshelf.config import SqliteAt
from homeshelf.demo.household import PASSWORD, email_of
from homeshelf.shares.model import Shareable
from homeshelf.signing import Signer
from homeshelf.table import open_database
from tests.forked_processes import run, served
from tests.processes import SECRET

NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""A TLS context that skips the trusted certificates, which load slower than a request."""

_signer = Signer(SECRET.encode())


class Resident:
    """A member who is signed in to the API and can sign in to a browser."""

    def __init__(self, url: str, name: str, email: str, password: str) -> None:
        self.url, self.name, self.email, self.password = url, name, email, password
        self.api = httpx.Client(base_url=f"{url}/api/v1", verify=NO_CERTIFICATES)
        self._sign_in_again_at = 0.0
        self.member_id: str = self.ask("GET", "/me")["memberId"]

    def ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """Send a request; sign in again before the access token expires."""
        if time.monotonic() > self._sign_in_again_at:
            self._sign_in()
        return self._ask(method, path, body)

    def _sign_in(self) -> None:
        self._sign_in_again_at = time.monotonic() + ACCESS_SECONDS / 2
        known = {"email": self.email, "password": self.password}
        token = self._ask("POST", "/tokens", known)["accessToken"]
        self.api.headers["Authorization"] = f"Bearer {token}"

    def _ask(self, method: str, path: str, body: Any) -> dict[str, Any]:
        answer = self.api.request(method, path, json=body)
        assert answer.is_success, answer.text
        found: dict[str, Any] = answer.json() if answer.content else {}
        return found

    async def sign_in_to(self, context: BrowserContext, url: str = "") -> None:
        """Sign in to this browser without the sign-in page."""
        known: dict[str, str | float | bool] = {"email": self.email, "password": self.password}
        ours = {"Origin": url or self.url}
        await context.request.post("/sign-in", form=known, headers=ours, max_redirects=0)


class Child(Resident):
    """A member without an e-mail, who signs in by a new link of the parent each time."""

    def __init__(self, parent: Resident, name: str, picture: str) -> None:
        self.parent = parent
        made = parent.ask("POST", "/members", {"name": name, "picture": picture})
        self.links = f"/members/{made['memberId']}/sign-in-link"
        super().__init__(parent.url, name, "", "")

    def _sign_in(self) -> None:
        self._sign_in_again_at = time.monotonic() + ACCESS_SECONDS / 2
        token = self._ask("POST", "/tokens/link", {"token": self._new_link_token()})["accessToken"]
        self.api.headers["Authorization"] = f"Bearer {token}"

    async def sign_in_to(self, context: BrowserContext, url: str = "") -> None:
        ours = {"Origin": url or self.url}
        path = f"/sign-in-link/{self._new_link_token()}"
        await context.request.post(path, headers=ours, max_redirects=0)

    def _new_link_token(self) -> str:
        link: str = self.parent.ask("POST", self.links, {})["link"]
        return link.rpartition("/")[2]


@dataclass(frozen=True)
class DemoHousehold:
    url: str
    pid: int
    people: dict[str, Resident]
    data: Path
    ids: dict[str, str]
    """Values of path parameters by name."""

    def create_account(self, name: str) -> Resident:
        """Create an account without a family."""
        known = {"email": f"{name.lower()}@home.local", "password": PASSWORD, "name": name}
        accounts = f"{self.url}/api/v1/accounts"
        answer = httpx.post(accounts, json=known, verify=NO_CERTIFICATES)
        assert answer.status_code == 201, answer.text
        return Resident(self.url, name, known["email"], PASSWORD)

    @staticmethod
    def reset_token(person: Resident) -> str:
        """Return the token of a password reset mail."""
        return _signer.token("mail", RESET_SECONDS, to="reset", era=1, sub=person.member_id)

    @staticmethod
    def verification_token(person: Resident) -> str:
        """Return the token of an address verification mail."""
        address = digest_of_email(person.email)
        claims = {"to": "verify", "address": address, "sub": person.member_id}
        return _signer.token("mail", VERIFICATION_SECONDS, **claims)

    def close(self) -> None:
        for person in self.people.values():
            person.api.close()


@contextmanager
def serve_demo_household(folder: Path) -> Iterator[DemoHousehold]:
    """Serve the demo household.

    Mina and Jonas are admins; Alva and Nils, who has no e-mail, are children. Tove has an unused
    sign-in link, Olle is invited, Vera has no family, Greta's family has long names everywhere, and
    Ines has just moved in.
    """
    data = folder / "data"
    made = run(folder, "demo", "--folder", str(data))
    assert made.returncode == 0, made.stderr
    settings = {"HOMESHELF_DATA_DIR": str(data), "HOMESHELF_DESIGN": "on"}
    frequent = ("SIGNUPS", "SIGNINS", "SIGNED_IN", "LINKS")
    many = {f"HOMESHELF_LIMIT_{name}": "9999/h" for name in frequent}
    with served(folder, **settings, **many) as homeshelf:
        people = {
            name: Resident(homeshelf.url, name, email_of(name), PASSWORD)
            for name in ("Mina", "Jonas", "Alva", "Ines")
        }
        household = DemoHousehold(homeshelf.url, homeshelf.process.pid, people, data, {})
        people["Vera"] = household.create_account("Vera")
        people["Greta"] = household.create_account("Greta")
        people["Nils"] = Child(people["Mina"], "Nils", "🐻")
        _use_long_words(people["Greta"])
        household.ids.update(_create_records(household))
        yield household
        household.close()


def _create_records(household: DemoHousehold) -> dict[str, str]:
    mina, vera = household.people["Mina"], household.people["Vera"]
    invited = mina.ask("POST", "/invitations", {"email": "olle@home.local", "role": "suggester"})
    item = mina.ask("GET", "/items")["items"][0]
    entry = mina.ask("GET", "/shopping-list")["items"][0]
    book = mina.ask("GET", "/books?status=READING")["items"][0]
    attic = {"name": "Attic", "description": "Behind the chimney"}
    tag = mina.ask("POST", f"/items/{item['itemId']}/nfc-urls", {"label": "pantry"})
    tove = mina.ask("POST", "/members", {"name": "Tove", "picture": "🦊"})
    return {
        **_create_lists(household),
        "urlId": tag["urlId"],
        "itemId": item["itemId"],
        "locationId": mina.ask("POST", "/locations", attic)["locationId"],
        "storeId": mina.ask("GET", "/stores")["items"][0]["storeId"],
        "memberId": household.people["Alva"].member_id,
        "memberId of a child": tove["memberId"],
        "memberId of a child inside": household.people["Nils"].member_id,
        "link": tove["link"].rpartition("/")[2],
        "link over": "over",
        "bookId": book["id"],
        "importId": _import_books(mina),
        "shoppingItemId": entry["shoppingItemId"],
        "invitationId": invited["invitationId"],
        "join": invited["link"].rpartition("/")[2],
        "reset": household.reset_token(vera),
        "verify": household.verification_token(vera),
        "unsubscribe": unsubscribe_link(_signer, vera.member_id).rpartition("/")[2],
    }


def _create_lists(household: DemoHousehold) -> dict[str, str]:
    """Create shared lists with different passcodes and states."""
    mina = household.people["Mina"]
    things = [{"name": name, "note": note} for name, note in _PACKED.items()]
    known = {"name": "Camping at the lake", "note": "We leave at four.", "items": things}
    made = mina.ask("POST", "/shareables", known)
    tent, stove, *_ = made["items"]
    path = f"/shareables/{made['shortId']}/items"
    for item, who in ((tent, "Grandma Ulla"), (stove, None)):
        ticked = {"checked": True, "checkedBy": who}
        httpx.patch(f"{mina.url}/api/v1{path}/{item['checklistItemId']}", json=ticked)
    ended = mina.ask("POST", "/shareables", known)["shortId"]
    end_list(household.data, ended)
    view, admin = {"viewPasscode": "lake"}, {"adminPasscode": "shore"}
    return {
        "shortId": made["shortId"],
        "checklistItemId": tent["checklistItemId"],
        "shortId to view": mina.ask("POST", "/shareables", known | admin)["shortId"],
        "shortId locked": mina.ask("POST", "/shareables", known | view)["shortId"],
        "shortId ended": ended,
    }


def _use_long_words(person: Resident) -> None:
    person.ask("POST", "/families", {"name": "Geschirrspülmaschinenbesitzer"})
    store = person.ask("POST", "/stores", {"name": "Haushaltswarengroßhandel"})["storeId"]
    for name in _LONG_WORDS:
        person.ask("POST", "/items", {"name": name, "quantity": 12, "threshold": 0})
        person.ask("POST", "/shopping-list", {"name": name, "notes": name, "storeId": store})
        more = person.ask("POST", "/shopping-list", {"name": f"2 {name}", "quantity": 999})
        path = f"/shopping-list/{more['shoppingItemId']}/status"
        person.ask("PATCH", path, {"status": "purchased", "version": more["version"]})


_LONG_WORDS = ("Geschirrspülmaschinentabs", "a" * 63, "👨‍👩‍👧‍👦 games", "مصباح كبير")
_PACKED = {"Tent": "the green one", "Stove": None, **dict.fromkeys(_LONG_WORDS)}


def end_list(data: Path, short_id: str) -> None:
    """Let the list expire. Runs in a thread because the caller may have an event loop."""

    async def end() -> None:
        db = open_database(SqliteAt(data / "homeshelf.db"))
        shared = await db.get(Shareable.key(short_id=short_id))
        assert shared is not None
        await db.put(shared.changed(expires_at=clock.timestamp()))
        await db.close()

    thread = Thread(target=lambda: asyncio.run(end()))
    thread.start()
    thread.join()


def _import_books(person: Resident) -> str:
    """Import books with one faulty row."""
    content = "title,status\nLanterns,SHELF\nLost,NOWHERE\n"
    headers = {"content-type": "text/csv"}
    answer = person.api.post("/books/import", content=content, headers=headers)
    assert answer.status_code == 202, answer.text
    return str(answer.json()["importId"])
