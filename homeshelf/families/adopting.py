"""Adopt families that another program wrote: add accounts, claims and the admin count."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from homeshelf.accounts.model import Account, EmailClaim, IdentityClaim, digest_of_email
from homeshelf.accounts.moving import without_access
from homeshelf.coordination.adopting import Adoption, Found, Made, plan_claims
from homeshelf.families.model import Family, Invitation, Member, PendingClaim
from homeshelf.families.moving import account_for
from homeshelf.table import Database, Key, Set, absent, attr, exists

ACCOUNTS = "people in their families"
ADDRESSES = "e-mail addresses"
IDENTITIES = "people whom the provider vouches for"
INVITATIONS = "pending invitations"
COUNTS = "counts of parents"

BY_LINK = "They get in by a link: homeshelf user reset-password ADDRESS --link."
CHILDREN = "Children without an address get in by a link that a parent makes."


async def adopt(db: Database, found: Found) -> Adoption:
    """Write the admin count last, as it marks the family as adopted."""
    members = found.of(Member)
    if not found.of(Family):
        lost = {member.family_id for member in members}
        return Adoption(remarks=[f"Family {each} has no record of itself." for each in lost])
    (family,) = found.of(Family)
    people = MemberAdoption(db, found, family)
    for member in members:
        if member.is_active:
            await people.adopt(member)
    invitations = await plan_claims(
        db, INVITATIONS, _claims(found.of(Invitation), found.at), _duplicate_remark
    )
    admins = sum(member.is_admin for member in members)
    none = [] if admins else [f"Family {family.family_id} has no parent: nobody can change it."]
    return Adoption(
        [*people.needs, *invitations.needs, *_count_needs(family, admins)],
        [*none, *people.remarks, *invitations.remarks],
    )


def _claims(invitations: Sequence[Invitation], now: str) -> Iterator[PendingClaim]:
    for each in sorted(invitations, key=lambda each: (each.created_at, each.invitation_id)):
        with suppress(ValueError):  # it has no valid expiry date
            if each.is_open(now):
                yield each.claim


def _duplicate_remark(claim: PendingClaim) -> str:
    return (
        f"Family {claim.family_id} has two invitations waiting for one address: both stay, and "
        f"{claim.holder} cannot be sent again."
    )


def _count_needs(family: Family, admins: int) -> list[Sequence[Made]]:
    if "admins" in (family.stored or {}):
        return []
    when = exists & attr("admins").missing
    return [[(COUNTS, Family.update(family.own_key(), Set("admins", admins), when=when))]]


@dataclass
class MemberAdoption:
    db: Database
    found: Found
    family: Family
    needs: list[Sequence[Made]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    async def adopt(self, member: Member) -> None:
        key = Account.key(member_id=member.member_id)
        stored = await self.db.get(key)
        planned = self.found.planned.get(key)
        old = stored or (planned if isinstance(planned, Account) else None)
        if old is None:
            await self._create(key, member)
        else:
            await self._complete(key, old)

    async def _create(self, key: Key[Account], member: Member) -> None:
        at, issuer = self.found.at, self.found.issuer
        new = without_access(account_for(member, at).changed(families=(self.family.family_id,)))
        writes: list[Made] = []
        if issuer is not None and (claim := await self._identity_claim(issuer, member.member_id)):
            new = _link_to_own_id(new, issuer, at)
            writes.append((IDENTITIES, claim.take()))
        elif not new.email and member.role == "suggester":
            new = new.changed(origin="child")
            self.remarks.append(CHILDREN)
        elif not new.email:
            self.remarks.append(
                f"{new.name} has no e-mail address: only `homeshelf user link {new.member_id}` "
                "lets them in."
            )
        else:
            self.remarks.append(BY_LINK)
        if new.email and (address := await self._email_claim(new)):
            writes.append((ADDRESSES, address.take()))
        self.found.planned[key] = new
        self.needs.append([(ACCOUNTS, new.put(absent)), *writes])

    async def _complete(self, key: Key[Account], old: Account) -> None:
        new, issuer, writes = old, self.found.issuer, list[Made]()
        if self.family.family_id not in old.families:
            new = new.changed(families=(*old.families, self.family.family_id))
        if issuer is not None and not old.is_linked_to(issuer, old.member_id):
            if old.password_hash is not None or old.issuer is not None or old.is_child:
                self.remarks.append(
                    f"{old.name} has another way in already, and keeps that: "
                    f"`homeshelf user link {old.member_id} SUB` links them."
                )
            elif claim := await self._identity_claim(issuer, old.member_id):
                new = _link_to_own_id(new, issuer, self.found.at)
                writes.append((IDENTITIES, claim.take()))
        if new == old:
            return
        changed = old.revised(self.found.at).changed(
            families=new.families, origin=new.origin, issuer=new.issuer, subject=new.subject
        )
        self.found.planned[key] = changed
        self.needs.append([(ACCOUNTS, changed.replacing(old)), *writes])

    async def _identity_claim(self, issuer: str, member_id: str) -> IdentityClaim | None:
        claim = IdentityClaim.of(issuer, member_id, member_id)
        if await self.db.get(claim.own_key()) is None:
            return claim
        self.remarks.append(f"{issuer} vouches for another account with the `sub` {member_id}.")
        return None

    async def _email_claim(self, account: Account) -> EmailClaim | None:
        claim = EmailClaim(email_digest=digest_of_email(account.email), holder=account.member_id)
        key = claim.own_key()
        if await self.db.get(key) is None and key not in self.found.planned:
            self.found.planned[key] = claim
            return claim
        self.remarks.append(
            f"Somebody else here has the address {account.email} of {account.name} "
            f"({account.member_id}), who cannot sign in with it: invite them."
        )
        return None


def _link_to_own_id(account: Account, issuer: str, at: str) -> Account:
    """Link the account to a `sub` that equals its id."""
    return account.with_identity(issuer, account.member_id, at).changed(origin="provider")
