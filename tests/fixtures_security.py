"""Security fixtures: data that must not leak, credentials that ended, and the public routes.

@for_each_route(ROUTES)
async def test_nobody_gets_in(running: RunningApp, route: Route) -> None: ...
"""

from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass, field
from functools import wraps
from inspect import Parameter, Signature, signature
from types import UnionType
from typing import Any, Union, get_args, get_origin

import pytest

from homeshelf import clock
from homeshelf.accounts import tokens
from homeshelf.accounts.model import Session
from homeshelf.accounts.tokens import unsubscribe_link
from homeshelf.families.model import Family, Member
from homeshelf.table import BOOKS, INVENTORY, Database, Record
from homeshelf.table.expressions import Item
from homeshelf.table.operations import Query
from tests.cases import case
from tests.home import Home, add_child, new_home, new_link, signed_in, token_in
from tests.records import make_record
from tests.routes import Route, some_id
from tests.running import PASSWORD, Person, RunningApp

MARK = "zqxj"
"""Part of every text of the victim, and of no other text."""

NEVER = "2999-01-01T00:00:00.000Z"
NEVER_SECONDS = 32_472_144_000


@dataclass(frozen=True)
class Victim:
    home: Home
    suggester: Person
    removed: Person
    removed_too: Person
    """A removed member who creates families later, apart from `removed`."""
    ids: dict[str, str] = field(default_factory=dict)
    """An id of the victim's for each kind of path parameter."""

    async def everything(self) -> list[Item]:
        """Return all records of the victim."""
        db = self.home.running.db
        family = Family.key(family_id=self.home.family_id).partition
        return [
            item
            for table, partition in (
                (INVENTORY, family),
                (BOOKS, f"USER#{self.home.admin.member_id}"),
            )
            for item in await db.all(Query(table, partition, dict, consistent=True))
        ]


async def make_victim(running: RunningApp) -> Victim:
    home = await new_home(running, f"The {MARK}s", f"{MARK}-admin")
    suggester = await home.with_member("suggester", "suggester")
    removed = await home.with_member("removed", "admin")
    removed_too = await home.with_member("removed-too", "admin")
    for person in (removed, removed_too):
        await home.remove_member(person)
    victim = Victim(home, suggester, removed, removed_too)
    victim.ids.update(
        familyId=home.family_id,
        memberId=home.admin.member_id,
        userId=home.admin.member_id,
        sessionId=home.admin.session_id,
    )
    await _furnish(running.db, victim)
    return victim


async def _furnish(db: Database, victim: Victim) -> None:
    records = [_owned(model, victim.ids) for model in _models(Record)]
    assert len(records) > 10
    await db.batch([record.put() for record in records])


def _models(parent: type[Record]) -> Iterator[type[Record]]:
    """Yield the kinds of records that belong to a family or a reader."""
    for model in parent.__subclasses__():
        yield from _models(model)
        if not hasattr(model, "keys") or model in (Family, Member):
            continue
        if model.table in (INVENTORY, BOOKS) and model.__module__.startswith("homeshelf."):
            yield model


def _owned(model: type[Record], ids: dict[str, str]) -> Record:
    return make_record(
        model,
        **{
            name: _value(model, name, ids)
            for name, of in model.model_fields.items()
            if _is_text(of.annotation) or name == "ttl"
        },
    )


def _is_text(annotation: Any) -> bool:
    if get_origin(annotation) in (UnionType, Union):
        return str in get_args(annotation)
    return annotation is str


def _value(model: type[Record], name: str, ids: dict[str, str]) -> Any:
    alias = model.aliases[name]
    if name == "ttl":
        return NEVER_SECONDS
    if name == "id":
        alias = f"{model.__name__.lower()}Id"
    if alias == "preferredStoreId":
        alias = "storeId"
    if alias.endswith("Id"):
        return ids.setdefault(alias, some_id(alias))
    if name.endswith("_by"):
        return ids["memberId"]
    if name.endswith(("_at", "_until")):
        return NEVER if name == "expires_at" else clock.timestamp()
    return f"{MARK} {name}"


NEW_PASSWORD = "another horse, another battery"  # of a test


@dataclass(frozen=True)
class EndedCredentials:
    access: dict[str, str]
    """Access tokens by the reason why they ended."""
    web: dict[str, str]
    """The session cookies of the same people."""
    tokens: dict[str, dict[str, str]]
    """Tokens by purpose, and by the reason why they ended."""


async def make_ended_credentials(home: Home) -> EndedCredentials:
    """Create ended credentials, each of another former member of the family."""
    access: dict[str, str] = {}
    web: dict[str, str] = {}
    refresh: dict[str, str] = {}
    for end in (sign_out, end_by_password, leave_for_good):
        person = await home.with_member(end.__name__, "admin")
        session = await home.running.db.get(
            Session.key(member_id=person.member_id, session_id=person.session_id)
        )
        assert session is not None
        pair = tokens.token_pair(home.running.signer, session, home.family_id)
        access[end.__name__] = str(pair["accessToken"])
        refresh[end.__name__] = str(pair["refreshToken"])
        web[end.__name__] = tokens.web_token(home.running.signer, session, home.family_id)
        assert (await person.get("/family")).status_code == 200
        await end(home.running, person)
    found = {"refresh": refresh, "link": await _of_children(home)}
    found |= await _mailed(home) | await _invited(home)
    found["reset"]["removed child"] = await _first_password(home)
    return EndedCredentials(access, web, found)


async def sign_out(_services: RunningApp, person: Person) -> None:
    assert (await person.delete("/tokens")).status_code == 204


async def end_by_password(running: RunningApp, person: Person) -> None:
    """Change the password on another device."""
    other = await running.session_of(person.member_id)
    phone = running.visitor()
    phone.bear(running.access_token(person.member_id, other.session_id))
    change = {"currentPassword": PASSWORD, "password": NEW_PASSWORD}
    assert (await phone.patch("/me", change)).status_code == 200


async def leave_for_good(_services: RunningApp, person: Person) -> None:
    assert (await person.delete("/me", {"password": PASSWORD})).status_code == 204


async def _mailed(home: Home) -> dict[str, dict[str, str]]:
    """Return mailed links of people whose account has changed since."""
    running, found = home.running, dict[str, dict[str, str]]()
    for end in (end_by_password, leave_for_good):
        person = await running.person(f"mailed-{end.__name__}")
        await home.let_in(person, "suggester")
        signer, account = running.signer, person.account
        links = {
            "reset": tokens.reset_token(signer, account),
            "verify": tokens.verification_token(signer, account),
            "unsubscribe": unsubscribe_link(signer, account.member_id).rpartition("/")[2],
        }
        if end is end_by_password:
            used = await running.visitor().post("/accounts/verify", {"token": links["verify"]})
            assert used.status_code == 204
        await end(running, person)
        if end is end_by_password:
            del links["unsubscribe"]  # it is valid as long as the account exists
        for name, link in links.items():
            found.setdefault(name, {})[end.__name__] = link
    return found


async def _invited(home: Home) -> dict[str, dict[str, str]]:
    links: dict[str, str] = {}
    for how in ("removed", "demoted", "left"):
        maker = await home.with_member(f"inviting-{how}", "admin")
        asked = {"email": f"spare-{how}@home.local", "role": "admin"}
        made = await maker.post("/invitations", asked)
        assert made.status_code == 201, made.text
        links[how] = token_in(made.json())
        if how == "removed":
            await home.remove_member(maker)
        elif how == "left":
            assert (await maker.delete(f"/members/{maker.member_id}")).status_code == 204
        else:
            change = {"role": "suggester", "version": (await home.member(maker))["version"]}
            answer = await home.admin.patch(f"/members/{maker.member_id}", change)
            assert answer.status_code == 200, answer.text
    return {"join": links}


async def _of_children(home: Home) -> dict[str, str]:
    """Return links that were used or replaced, or whose child or creator was removed."""
    links = {"used": token_in(await add_child(home, "used"))}
    await signed_in(home.running, links["used"])
    replaced = await add_child(home, "replaced")
    links["replaced"] = token_in(replaced)
    await new_link(home, replaced)
    removed = await add_child(home, "removed")
    links["removed"] = token_in(removed)
    assert (await home.admin.delete(f"/members/{removed['memberId']}")).status_code == 204
    maker = await home.with_member("a-childs-maker", "admin")
    links["maker"] = token_in(await add_child(Home(home.running, home.family, maker), "left"))
    await home.remove_member(maker)
    return links


async def _first_password(home: Home) -> str:
    """Return the unused password link of a removed child."""
    path = f"/members/{(await add_child(home, 'addressed'))['memberId']}"
    given = await home.admin.post(f"{path}/email", {"email": "addressed@home.local"})
    assert given.status_code == 200, given.text
    assert (await home.admin.delete(path)).status_code == 204
    return token_in(given.json())


Test = Callable[..., Coroutine[Any, Any, None]]


def for_each_route(routes: Iterable[Route]) -> Callable[[Test], Test]:
    rooms: defaultdict[str, list[Route]] = defaultdict(list)
    for route in routes:
        rooms[route.path.removeprefix("/api/v1").split("/")[1]].append(route)

    def of_each(test: Test) -> Test:
        @wraps(test)
        async def walk(routes: list[Route], **fixtures: Any) -> None:
            for route in routes:
                with case(str(route)):
                    await test(route=route, **fixtures)

        asked = signature(test).parameters.values()
        named = [each for each in asked if each.name != "route"]
        all_of_them = Parameter("routes", Parameter.POSITIONAL_OR_KEYWORD)
        vars(walk)["__signature__"] = Signature([*named, all_of_them])
        del vars(walk)["__wrapped__"]  # pytest would ask for what that one asks for
        decorated: Test = pytest.mark.parametrize("routes", rooms.values(), ids=rooms)(walk)
        return decorated

    return of_each


PUBLIC_ROUTES = {
    "/": "says what Homeshelf is; who is in a family sees their own",
    "/design": "shows the parts of pages, and no data",
    "/healthz": "says only that the program runs",
    "/readyz": "says only that the database answers",
    "/metrics": "is off, or for whom the settings say",
    "/manifest.webmanifest": "is the same for everybody",
    "/sw.js": "is the same for everybody",
    "/offline": "is the same for everybody",
    "/static/{tree}/{name:path}": "is the same for everybody",
    "/s": "is where anybody types the id of a shared list",
    "/sign-up": "is how people sign up",
    "/sign-in": "is how people sign in",
    "/forgotten": "is for who cannot sign in, and always says the same",
    "/reset/{token}": "is for whoever has the mailed link",
    "/verify/{token}": "is for whoever has the mailed link",
    "/join/{token}": "is for whoever has the invitation's link",
    "/sign-in-link/{token}": "is for whoever has the link of a child",
    "/unsubscribe/{token}": "is for whoever has the mailed link",
    "/api/v1/openapi.json": "describes the API",
    "/api/docs": "describes the API",
    "/api/docs/{name}": "describes the API",
    "/api/v1/accounts": "is how people sign up",
    "/api/v1/accounts/verify": "is for whoever has the mailed link",
    "/api/v1/passwords/forgotten": "is for who cannot sign in, and always says the same",
    "/api/v1/passwords/reset": "is for whoever has the mailed link",
    "/api/v1/tokens": "is how people sign in",
    "/api/v1/tokens/refresh": "is for whoever has the refresh token",
    "/api/v1/tokens/link": "is for whoever has the link of a child",
}
ROUTES_BY_ADDRESS = {
    "/t/{urlId}": "whoever has a tag's address may use it",
    "/api/v1/taps/": "whoever has a tag's address may use it",
    "/s/": "the passcodes of a shared list decide",
    "/api/v1/shareables": "the passcodes of a shared list decide",
}
"""Routes whose address is the credential, by the start of their paths."""
