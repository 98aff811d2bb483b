"""The right to listen to the events of a family."""

from typing import Any

import pytest

from homeshelf import clock
from homeshelf.accounts.model import Account, Session, SessionPolicy
from homeshelf.families import store
from homeshelf.families.api import stream_right
from homeshelf.families.callers import FamilyMember
from homeshelf.families.model import Role
from homeshelf.live.listener import Right
from homeshelf.web.idempotency import IdempotentRequest
from tests.home import Home
from tests.moment import HOUR
from tests.running import SETTINGS, Person

TERMS = SessionPolicy.from_settings(SETTINGS)
ISSUER = "https://issuer.example"


async def session_of(home: Home, person: Person) -> Session:
    key = Session.key(member_id=person.member_id, session_id=person.session_id)
    found = await home.running.db.get(key)
    assert found is not None
    return found


async def stream_right_of(home: Home, person: Person, terms: SessionPolicy = TERMS) -> Right:
    db = home.running.db
    account = await db.get(Account.key(member_id=person.member_id))
    membership = await store.get_member(db, home.family_id, person.member_id)
    assert account is not None
    assert membership is not None
    session = await session_of(home, person)
    request = IdempotentRequest(person.member_id, None, "GET", "/events", b"")
    return stream_right(FamilyMember(account, session, request, membership), terms)


async def end_of_right(home: Home, right: Right) -> float:
    """Return the end of the right, from the current records."""
    keys: list[Any] = list(right.keys)
    return right.until(await home.running.db.get_many(keys))


async def test_stream_right_ends_with_the_session(home: Home, kid: Person) -> None:
    for person in (home.admin, kid):
        right = await stream_right_of(home, person)
        session = await session_of(home, person)
        assert await end_of_right(home, right) == session.ttl
        await home.running.db.put(session.changed(ttl=session.ttl + HOUR))
        assert await end_of_right(home, right) == session.ttl + HOUR
        await home.running.db.write(session.delete())
        assert await end_of_right(home, right) == 0


@pytest.mark.parametrize(("before", "after"), [("suggester", "admin"), ("admin", "suggester")])
async def test_stream_right_ends_with_a_role_change(home: Home, before: Role, after: Role) -> None:
    bob = await home.with_member("bob", before)
    right = await stream_right_of(home, bob)
    assert right.is_admin is (before == "admin")
    renamed = {"name": "Bobby", "version": 1}
    assert (await home.admin.patch(f"/members/{bob.member_id}", renamed)).status_code == 200
    assert await end_of_right(home, right) > clock.seconds()
    change = {"role": after, "version": 2}
    assert (await home.admin.patch(f"/members/{bob.member_id}", change)).status_code == 200
    assert await end_of_right(home, right) == 0


async def test_stream_right_ends_with_removal(home: Home, kid: Person) -> None:
    right = await stream_right_of(home, kid)
    await home.remove_member(kid)
    assert await end_of_right(home, right) == 0


async def test_stream_right_ends_with_the_provider_session(home: Home, kid: Person) -> None:
    begun = clock.seconds()
    session = (await session_of(home, kid)).changed(issuer=ISSUER)
    await home.running.db.put(session)
    right = await stream_right_of(home, kid, SessionPolicy(ISSUER, HOUR))
    assert begun - 60 <= await end_of_right(home, right) - HOUR <= begun + 60
    longer = SessionPolicy(ISSUER, session.ttl)
    assert await end_of_right(home, await stream_right_of(home, kid, longer)) == session.ttl
    elsewhere = SessionPolicy("https://another.example", HOUR)
    assert await end_of_right(home, await stream_right_of(home, kid, elsewhere)) == 0
