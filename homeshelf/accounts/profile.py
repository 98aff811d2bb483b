"""A person's name, which is theirs in each of their families too, their password, and leaving for
good: the account goes first, and what was only theirs follows."""

from datetime import timedelta
from functools import partial

from homeshelf import clock, security_log
from homeshelf.access.families import Families, families_of
from homeshelf.accounts import signing_in, store
from homeshelf.accounts.devices import Device
from homeshelf.accounts.messages import password_changed_writes
from homeshelf.accounts.model import (
    Account,
    Departure,
    EmailClaim,
    NewPassword,
    Session,
    digest_of_email,
    member_id_of,
)
from homeshelf.accounts.new_address import AddressChange, FormerAddress
from homeshelf.coordination.changing import Outcome, carry_out, replaced
from homeshelf.coordination.idempotency import Answer
from homeshelf.coordination.todos import Todo, finish_soon, todo
from homeshelf.errors import Invalid, NotForChildren, TooMany
from homeshelf.sentences import _
from homeshelf.table import Database, Delete, Write
from homeshelf.web.services import Services

RENAMED = "person_renamed"
LEFT = "account_left"
IN_A_WHILE = timedelta(seconds=10)
TOLD_AT_ONCE = 12
"""As many as there is room for in the transaction that changes the account."""
MOST_FAMILIES = 30
"""As many as one transaction can leave."""
DEPARTED_SECONDS = 24 * 3600
"""Longer than the tokens of an identity provider hold."""


async def change_profile(
    services: Services,
    session: Session,
    name: str | None,
    password: NewPassword | None,
) -> Account:
    """Another name, another password, or both. A new password ends all other sessions."""

    db, families = services.db, families_of(services)
    left: list[Todo] = []

    async def decide() -> "Outcome[Account]":
        if session.is_kept:
            old, kept = await store.signed_in(db, session.member_id, session.own_key())
        else:
            old, kept = await store.account_of(db, session.member_id), session
        new = old.revised(clock.timestamp())
        writes: list[Write] = []
        if name is not None:
            new = new.changed(name=name)
            theirs, more = await families.updating(db, new)
            writes += theirs
            left[:] = [rest_of_families(new)] if more else []
        if password is not None:
            if password.known != old.password_hash:
                raise Invalid(
                    [("currentPassword", _("This was your password until a moment ago."))]
                )
            new = new.with_password(password.password_hash)
            writes += password_changed_writes(services.settings, new)
            writes += store.told_to_streams(old, TOLD_AT_ONCE)
            if kept.is_kept:
                writes.append(kept.changed(era=new.era).replacing(kept))
        return new, (*replaced(old, new), *writes, *(each.put() for each in left))

    changed = await carry_out(db, Account.key(member_id=session.member_id), decide)
    for each in left:
        await finish_soon(db, each, partial(finish_renaming, families))
    if password is not None:
        security_log.note("password_changed", member_id=changed.member_id, way="settings")
    return changed


def rest_of_families(account: Account) -> Todo:
    """For those that have their new name or address a moment later."""
    return todo(RENAMED, {"memberId": account.member_id}, clock.now() + IN_A_WHILE)


async def finish_renaming(families: Families, db: Database, left: Todo) -> None:
    account = await store.account(db, left.about["memberId"])
    if account is not None:
        await families.finish_updating(db, account)


async def delete_account(services: Services, address: str, person: Account, password: str) -> None:
    """Of who shows that they know the password; whom a provider vouches for has none to show."""
    if person.is_child:
        raise NotForChildren
    await signing_in.confirm_leaving(services, address, person, password)
    db, member_id = services.db, person.member_id

    async def attempt() -> Todo:
        account = await store.account_of(db, member_id)
        if account.password_hash != person.password_hash:
            raise Invalid([("password", _("This was your password until a moment ago."))])
        if len(account.families) > MOST_FAMILIES:
            raise TooMany(
                _("You are in too many families to leave at once. Leave some of them first.")
            )
        theirs, leaving = await families_of(services).leaving(db, account, clock.timestamp())
        # Where they had a password, nobody else has the address.
        address = digest_of_email(account.email) if account.password_hash else None
        about = {"memberId": member_id, **theirs, "emailDigest": address}
        rest = todo(LEFT, about, clock.now() + IN_A_WHILE)
        await db.transact(
            account.delete(account.unchanged),
            *await _forgetting(db, account),
            *leaving,
            rest.put(),
        )
        return rest

    rest = await db.retry_with_lock(Account.key(member_id=member_id), attempt)
    security_log.note("account_left", member_id=member_id)
    await finish_soon(db, rest, partial(finish, services))


async def forget_child(services: Services, child: Account) -> None:
    """A child whose family is gone."""
    db, member_id = services.db, child.member_id
    families: list[str] = []
    about = {"memberId": member_id, "families": families}

    async def attempt() -> Todo | None:
        account = await store.account(db, member_id)
        if account is None or not account.is_child:
            return None
        rest = todo(LEFT, about, clock.now() + IN_A_WHILE)
        await db.transact(account.delete(account.unchanged), rest.put())
        return rest

    if rest := await db.retry_with_lock(child.own_key(), attempt):
        await finish_soon(db, rest, partial(finish, services))


async def finish(services: Services, db: Database, left: Todo) -> None:
    member_id = left.about["memberId"]
    await families_of(services).left(services, left.about)
    await db.clear(Session.where(member_id=member_id))
    await db.clear(Device.where(member_id=member_id))
    await db.clear(FormerAddress.where(member_id=member_id))
    await db.write(Delete(AddressChange.key(member_id=member_id)))
    await db.clear(Answer.where(caller=member_id))
    if email_digest := left.about.get("emailDigest"):
        await db.clear(signing_in.signed_in_from(email_digest))
    for each in services.slices:
        await each.person_gone(db, member_id)


async def _forgetting(db: Database, account: Account) -> list[Write]:
    """Somebody else may have the address, where an identity provider named it."""
    claim = await db.get(EmailClaim.key(email_digest=digest_of_email(account.email)))
    claims = [claim, await store.identity_claim_of(db, account)]
    own = [each.release() for each in claims if each and each.holder == account.member_id]
    named = {account.member_id} if account.password_hash is None else set()
    if account.issuer is not None and account.subject is not None:
        # Where it was linked by hand, their token would begin an account with another id.
        named |= {account.member_id, member_id_of(account.issuer, account.subject)}
    now = clock.seconds()
    left = {"left_at": now, "ttl": now + DEPARTED_SECONDS}
    return [*own, *(Departure(member_id=each, **left).put() for each in sorted(named))]
