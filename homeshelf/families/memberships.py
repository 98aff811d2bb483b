"""The functions of families for other slices, and the end of a person's memberships."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from homeshelf import clock
from homeshelf.access.families import Families
from homeshelf.accounts import store as accounts
from homeshelf.accounts.addresses import PendingAddress
from homeshelf.accounts.model import Account, Session
from homeshelf.accounts.profile import delete_child_account
from homeshelf.coordination.changes import session_end_writes
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.errors import LastAdmin, NotFound
from homeshelf.families import invitations, store
from homeshelf.families.links import SignInLink
from homeshelf.families.model import Family, Member, admin_count_write, parse_token
from homeshelf.sentences import _
from homeshelf.table import Database, Delete, Key, Query, attr
from homeshelf.web.services import Services

MAX_RENAMED = 40


class Memberships(Families):
    def membership_keys(self, member_id: str, family_id: str) -> Sequence[Key[Any]]:
        return [Member.key(family_id=family_id, member_id=member_id)]

    async def name_of(self, db: Database, family_id: str) -> str | None:
        family = await store.get_family(db, family_id)
        return family.name if family else None

    async def list_families(
        self, db: Database, account: Account, session: Session
    ) -> Sequence[Mapping[str, str]]:
        return [
            {"familyId": family.family_id, "name": family.name, "role": member.role}
            for family, member in await store.get_homes(db, account, session)
        ]

    async def is_invited(self, db: Database, email: str) -> bool:
        return bool((await invitations.open_invitations(db, email, 1)).items)

    async def holds_invitation(self, db: Database, path: str) -> bool:
        proof = parse_token(path.removeprefix("/join/")) if path.startswith("/join/") else None
        with suppress(NotFound):
            return proof is not None and bool(await invitations.open_invitation_of(db, proof))
        return False

    async def update_members(self, tx: Transaction, account: Account) -> bool:
        memberships = await store.memberships(tx.db, account)
        for member in memberships[:MAX_RENAMED]:
            tx.replace(member, member.with_account_details(account, account.updated_at))
        return len(memberships) > MAX_RENAMED

    async def finish_updating(self, db: Database, account: Account) -> None:
        for member in await store.memberships(db, account):
            await _update_member(db, member.own_key(), account)

    async def give_address(self, tx: Transaction, pending: PendingAddress, at: str) -> None:
        """Give a child the address if its maker is still an admin."""
        family_id, member_id = pending.family_id, pending.member_id
        maker = await store.get_member(tx.db, family_id, pending.made_by)
        child = await store.get_member(tx.db, family_id, member_id)
        if child is None or maker is None or not maker.is_same_admin(pending.made_by, pending.term):
            raise NotFound
        tx.replace(child, child.revised(at, email=pending.email))
        tx.write(maker.check(maker.still_admin_condition))
        if link := await tx.db.get(SignInLink.key(member_id=member_id)):
            tx.write(link.delete())

    async def leave(self, tx: Transaction, account: Account, at: str) -> Mapping[str, Any]:
        left = await family_exits(tx.db, account)
        for each in left:
            each.carry_out(tx, at)
        gone = [each.family.family_id for each in left if not each.others]
        terms = {each.family.family_id: each.term for each in left if each.term is not None}
        return {"families": gone, "terms": terms}

    async def finish_leaving(self, services: Services, about: Mapping[str, Any]) -> None:
        db, member_id = services.db, about["memberId"]
        for family_id, term in about.get("terms", {}).items():
            await store.revoke_invitations(db, family_id, member_id, term)
        await clear_former_addresses(db, member_id)
        for kind in (SignInLink, PendingAddress):
            await db.write(Delete(kind.key(member_id=member_id)))
        for family_id in about["families"]:
            await delete_family(services, family_id)


@transaction
async def _update_member(tx: Transaction, key: Key[Member], account: Account) -> None:
    member = await tx.db.get(key)
    if member is not None:
        tx.replace(member, member.with_account_details(account, clock.timestamp()))


@dataclass(frozen=True)
class FamilyExit:
    family: Family
    member: Member
    others: Sequence[Member]

    @property
    def term(self) -> int | None:
        """Return the term whose invitations must be revoked, if any."""
        return self.member.admin_term if self.others and self.member.is_admin else None

    def carry_out(self, tx: Transaction, at: str) -> None:
        if not self.others:
            tx.write(
                self.family.delete(attr("admins") == 1),  # fails if another admin joined
                self.member.delete(self.member.unchanged),
                *session_end_writes(self.member.member_id, [self.family.family_id]),
            )
            return
        gone = self.member.remove_without_account(at)
        tx.replace(self.member, gone)
        tx.write(admin_count_write(self.member, gone))


async def family_exits(db: Database, account: Account) -> list[FamilyExit]:
    """Plan to leave each family; refuse if one would lose its last admin."""
    found = await _family_exits(db, account)
    families_to_delete = [each.family.family_id for each in found if not each.others]
    for family_id in families_to_delete:
        await _revoke_all_access(db, family_id)
    return await _family_exits(db, account) if families_to_delete else found


async def delete_family(services: Services, family_id: str) -> None:
    """Delete the family's own records last, as other deletions add to them."""
    await _delete_children(services, family_id)
    own = Query(Family.table, Family.key(family_id=family_id).partition, dict)
    others = [of for each in services.slices for of in each.goes_with_family]
    for query in (*(of(family_id=family_id) for of in others), own):
        await services.db.clear(query)


async def _delete_children(services: Services, family_id: str) -> None:
    db = services.db
    for member in await db.all(store.members_of(family_id).up_to_date()):
        account = await accounts.get_account(db, member.member_id)
        if account is not None and account.is_child:
            await delete_child_account(db, account.own_key(), services)


async def clear_former_addresses(db: Database, member_id: str) -> None:
    for member in await store.indexed_memberships(db, member_id):
        await db.change(
            member.own_key(),
            lambda old: old if old.email is None else old.remove_without_account(clock.timestamp()),
        )


async def _family_exits(db: Database, account: Account) -> list[FamilyExit]:
    found = [
        FamilyExit(family, member, await _other_members(db, member))
        for family, member in await store.get_homes(db, account, skip=False)
    ]
    for family_exit in found:
        others = family_exit.others
        if others and family_exit.member.is_admin and not any(other.is_admin for other in others):
            raise LastAdmin(
                detail=_("You’re the last adult in {name}.", name=family_exit.family.name)
            )
    return found


async def _other_members(db: Database, member: Member) -> list[Member]:
    members = await store.active_members(db, member.family_id, skip=False)
    return [other for other in members if other.member_id != member.member_id]


async def _revoke_all_access(db: Database, family_id: str) -> None:
    """Revoke invitations and links; the caller must look again for members who joined last."""
    waiting = store.invitations_with_status(family_id, "pending", clock.timestamp())
    for invitation in await db.all(waiting.up_to_date()):
        with suppress(NotFound):  # answered concurrently
            await invitations.revoke(db, invitation.own_key())
    gone = store.members_with_status(family_id, "removed")
    for member in await db.all(gone.up_to_date()):
        await store.remove_member(db, family_id, member.member_id)  # also ends their links
