"""What families supply to those who may not name them: who is in which."""

from collections.abc import Mapping, Sequence
from typing import Any

from homeshelf import clock
from homeshelf.access.families import Families
from homeshelf.accounts.model import Account
from homeshelf.errors import NotFound
from homeshelf.families import exits, invitations, store
from homeshelf.families.deciding import revoke_made_by
from homeshelf.families.links import ticket_of
from homeshelf.families.model import Member
from homeshelf.table import Database, Key, Write
from homeshelf.web.services import Services

RENAMED_AT_ONCE = 40


class Memberships(Families):
    def membership_keys(self, member_id: str, family_id: str) -> Sequence[Key[Any]]:
        return [Member.key(family_id=family_id, member_id=member_id)]

    async def name_of(self, db: Database, family_id: str) -> str | None:
        family = await store.family(db, family_id)
        return family.name if family else None

    async def homes_of(self, db: Database, account: Account) -> Sequence[Mapping[str, str]]:
        return [
            {"familyId": family.family_id, "name": family.name, "role": member.role}
            for family, member in await store.homes(db, account)
        ]

    async def is_invited(self, db: Database, email: str) -> bool:
        return bool((await invitations.open_to(db, email, 1)).items)

    async def holds_invitation(self, db: Database, path: str) -> bool:
        ticket = ticket_of(path.removeprefix("/join/")) if path.startswith("/join/") else None
        if ticket is None:
            return False
        try:
            await invitations.admitted(db, ticket)
        except NotFound:
            return False
        return True

    async def renaming(
        self, db: Database, account: Account, name: str, at: str
    ) -> tuple[Sequence[Write], bool]:
        theirs = await store.memberships(db, account)
        renamed = store.renames(theirs[:RENAMED_AT_ONCE], name, at)
        return renamed, len(theirs) > RENAMED_AT_ONCE

    async def finish_renaming(self, db: Database, account: Account) -> None:
        for member in await store.memberships(db, account):
            await _rename(db, member, account.name)

    async def leaving(
        self, db: Database, account: Account, at: str
    ) -> tuple[Mapping[str, Any], Sequence[Write]]:
        left = await exits.family_exits(db, account)
        gone = [each.family.family_id for each in left if not each.others]
        terms = {each.family.family_id: each.term for each in left if each.term is not None}
        writes = [write for each in left for write in each.writes(at)]
        return {"families": gone, "terms": terms}, writes

    async def left(self, services: Services, about: Mapping[str, Any]) -> None:
        db, member_id = services.db, about["memberId"]
        for family_id, term in about.get("terms", {}).items():
            await revoke_made_by(db, family_id, member_id, term)
        await exits.forget_address(db, member_id)
        for family_id in about["families"]:
            await exits.sweep(services, family_id)


async def _rename(db: Database, member: Member, name: str) -> None:
    async def attempt() -> None:
        found = await store.member(db, member.family_id, member.member_id)
        if found is not None and (writes := store.renames([found], name, clock.timestamp())):
            await db.transact(*writes)

    await db.settle(member.own_key(), attempt)
