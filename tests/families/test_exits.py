"""The deletion of a family with its last person."""

import pytest

from homeshelf import clock
from homeshelf.accounts.model import Account
from homeshelf.coordination.changes import SESSION_ENDED, changes_since
from homeshelf.coordination.transaction import Transaction
from homeshelf.errors import LastAdmin, NotFound
from homeshelf.families import memberships, store
from homeshelf.families.invitations import accept
from homeshelf.families.model import Family, parse_token
from homeshelf.notices.model import OpenNotice
from homeshelf.places.model import PlaceName
from homeshelf.shopping.model import PendingEntries
from homeshelf.table import Database, Query, Record, TransactionCancelled
from homeshelf.table.operations import Delete
from homeshelf.taps.model import WeekOfTaps
from tests.api_client import add_entry, add_item, add_place
from tests.database_hooks import before_first_transaction, with_hook
from tests.home import Home, token_in
from tests.records import make_record
from tests.running import PASSWORD, Person


async def account_of(db: Database, person: Person) -> Account:
    found = await db.get(Account.key(member_id=person.member_id))
    assert found is not None
    return found


async def test_invitations_are_revoked_before_family_deletion(home: Home) -> None:
    db, bob = home.running.db, await home.running.person("bob")
    made_for_bob = await home.invite(bob.email)
    (alone,) = await memberships.family_exits(db, await account_of(db, home.admin))
    assert not alone.others
    assert alone.term is None
    answer = await bob.post("/invitations/accept", {"token": token_in(made_for_bob)})
    assert answer.status_code == 404
    (left,) = (await home.admin.get("/invitations?status=all")).json()["items"]
    assert left["status"] == "revoked"


async def test_remaining_family_keeps_its_invitations(home: Home) -> None:
    db, bob = home.running.db, await home.running.person("bob")
    await home.with_member("eve", "admin")
    made_for_bob = await home.invite(bob.email)
    (one,) = await memberships.family_exits(db, await account_of(db, home.admin))
    assert len(one.others) == 1
    assert one.term == 1
    answer = await bob.post("/invitations/accept", {"token": token_in(made_for_bob)})
    assert answer.status_code == 200


async def test_leaving_suggester_revokes_no_invitations(home: Home, kid: Person) -> None:
    (one,) = await memberships.family_exits(home.running.db, await account_of(home.running.db, kid))
    assert one.term is None


async def test_member_who_joins_during_deletion_keeps_family(home: Home) -> None:
    db, bob = home.running.db, await home.running.person("bob")
    ticket = parse_token(token_in(await home.invite(bob.email)))
    assert ticket is not None

    async def join_family() -> None:
        await accept(db, bob.member_id, ticket)

    looked_at = with_hook(db, before_first_transaction(join_family))
    with pytest.raises(LastAdmin):
        await memberships.family_exits(looked_at, await account_of(db, home.admin))
    assert (await bob.get("/family")).status_code == 200


async def test_family_of_last_person_is_deleted(home: Home) -> None:
    db = home.running.db
    assert (await home.admin.delete("/me", {"password": PASSWORD})).status_code == 204
    assert await store.get_family(db, home.family_id) is None
    assert await store.get_member(db, home.family_id, home.admin.member_id) is None
    ended = (SESSION_ENDED, home.admin.member_id)
    assert ended in [(each.type, each.id) for each in await changes_since(db, home.family_id, None)]


async def test_removal_in_deleted_family_raises_not_found(home: Home) -> None:
    db = home.running.db
    await db.write(Delete(Family.key(family_id=home.family_id)))
    with pytest.raises(NotFound):
        await store.remove_member(db, home.family_id, home.admin.member_id)


async def test_family_with_a_new_admin_is_kept(home: Home) -> None:
    db = home.running.db
    (alone,) = await memberships.family_exits(db, await account_of(db, home.admin))
    bob = await home.with_member("bob", "admin")
    tx = Transaction(db)
    alone.carry_out(tx, clock.timestamp())
    with pytest.raises(TransactionCancelled):
        await db.transact(*tx.writes())
    assert (await bob.get("/family")).status_code == 200


async def test_deleting_admin_account_keeps_family_with_other_admin(
    home: Home,
) -> None:
    bob, db = await home.with_member("bob", "admin"), home.running.db
    assert (await home.admin.delete("/me", {"password": PASSWORD})).status_code == 204
    family = await store.get_family(db, home.family_id)
    assert family is not None
    assert family.admins == 1
    left = await store.get_member(db, home.family_id, home.admin.member_id)
    assert left is not None
    assert (left.status, left.email, left.name) == ("removed", None, "ada")
    assert (await bob.get("/family")).status_code == 200


async def test_former_address_is_cleared_once(home: Home, gone: Person) -> None:
    db = home.running.db
    for _ in range(2):
        await memberships.clear_former_addresses(db, gone.member_id)
        left = await store.get_member(db, home.family_id, gone.member_id)
        assert left is not None
        assert (left.email, left.version) == (None, 3)


async def test_family_deletion_deletes_claims(home: Home, neighbour: Person) -> None:
    db = home.running.db
    theirs = (await neighbour.get("/family")).json()["familyId"]
    for person in (home.admin, neighbour):
        for kind in ("locations", "stores"):
            await add_place(person, kind, "Corner")
        rice = await add_item(person, quantity=0, threshold=2)
        await add_entry(person, itemId=rice["itemId"])
    for family_id in (home.family_id, theirs):
        await db.batch([make_record(WeekOfTaps, family_id=family_id, ttl=9_000_000_000).put()])
    expected = [2, 1, 1, 1]
    assert await count_claims(db, home.family_id) == expected
    kept = await count_records(db, theirs)
    assert kept > 0
    await memberships.delete_family(home.running.services, home.family_id)
    assert await count_claims(db, home.family_id) == [0, 0, 0, 0]
    assert await count_records(db, home.family_id) == 0
    assert await count_claims(db, theirs) == expected
    assert await count_records(db, theirs) == kept


async def count_records(db: Database, family_id: str) -> int:
    """Count the records of the family in its table."""
    every = Query(Family.table, Family.key(family_id=family_id).partition, dict)
    return len(await db.all(every.up_to_date()))


async def count_claims(db: Database, family_id: str) -> list[int]:
    kinds: tuple[type[Record], ...] = (PlaceName, OpenNotice, PendingEntries, WeekOfTaps)
    return [len(await db.all(kind.where(family_id=family_id).up_to_date())) for kind in kinds]
