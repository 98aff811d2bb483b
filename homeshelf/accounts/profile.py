"""Change a person's name or password, and delete accounts."""

from datetime import timedelta
from functools import partial
from typing import Any

from homeshelf import clock, security_log
from homeshelf.access.families import families_of
from homeshelf.accounts import signing_in, store
from homeshelf.accounts.addresses import AddressChange, FormerAddress
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
from homeshelf.accounts.new_session import Device
from homeshelf.coordination.attempts import known_addresses
from homeshelf.coordination.idempotency import StoredResponse
from homeshelf.coordination.todos import Todo, todo
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.errors import Invalid, LimitReached, NotForChildren
from homeshelf.outbox.channels import address_kinds
from homeshelf.sentences import _
from homeshelf.table import Database, Delete, Key, Write
from homeshelf.web.services import Services

RENAMED = "person_renamed"
DELETED = "account_left"
DELAY = timedelta(seconds=10)
STREAMS_ENDED_AT_ONCE = 12
"""The number of families whose streams a password change ends in its own transaction."""
MAX_FAMILIES = 30
"""The number of families that one transaction can leave."""
DEPARTED_SECONDS = 24 * 3600
"""The lifetime of a departure, longer than any token of an identity provider is valid."""


@transaction
async def change_profile(
    tx: Transaction,
    key: Key[Account],
    services: Services,
    session: Session,
    name: str | None = None,
    password: NewPassword | None = None,
) -> Account:
    """Set a name, a password, or both; a new password ends all other sessions."""
    if session.is_stored:
        old, kept = await store.require_session(tx.db, session.member_id, session.own_key())
    else:
        old, kept = await store.require_account(tx.db, key), session
    new = old.revised(clock.timestamp())
    if name is not None:
        new = new.changed(name=name)
        await update_members(tx, services, new)
    if password is not None:
        if password.known != old.password_hash:
            raise Invalid([("currentPassword", _("This was your password until just now."))])
        new = new.with_password(password.password_hash)
        tx.write(*password_changed_writes(tx.db.settings, new))
        tx.write(*store.stream_end_writes(old, STREAMS_ENDED_AT_ONCE))
        if kept.is_stored:
            tx.write(kept.changed(era=new.era).replacing(kept))
        about = {"member_id": new.member_id, "way": "settings"}
        tx.after_commit(partial(security_log.note, "password_changed", **about))
    tx.replace(old, new)
    return new


async def update_members(tx: Transaction, services: Services, account: Account) -> None:
    """Copy the name and address to the memberships; a to-do does the rest if there are many."""
    if await families_of(services).update_members(tx, account):
        left = todo(RENAMED, {"memberId": account.member_id}, clock.now() + DELAY)
        tx.finish_soon(left, partial(finish_renaming, services))


async def finish_renaming(services: Services, db: Database, left: Todo) -> None:
    account = await store.get_account(db, left.about["memberId"])
    if account is not None:
        await families_of(services).finish_updating(db, account)


async def delete_account(services: Services, address: str, person: Account, password: str) -> None:
    if person.is_child:
        raise NotForChildren
    if person.password_hash is not None:  # an identity provider's people have none
        if not password:
            raise Invalid([("password", _("Enter a password of up to 128 characters."))])
        await signing_in.confirm_password(services, address, person, password, "password")
    await _delete(services.db, person.own_key(), services, person.password_hash)


@transaction
async def _delete(
    tx: Transaction, key: Key[Account], services: Services, password_hash: str | None
) -> None:
    account = await store.require_account(tx.db, key)
    if account.password_hash != password_hash:
        raise Invalid([("password", _("This was your password until just now."))])
    if len(account.families) > MAX_FAMILIES:
        raise LimitReached(
            _("You’re in too many families to leave all at once. Leave some of them first.")
        )
    exits = await families_of(services).leave(tx, account, clock.timestamp())
    # With a password, the address is unique to this account.
    address = digest_of_email(account.email) if account.password_hash else None
    about = {"memberId": account.member_id, **exits, "emailDigest": address}
    tx.write(account.delete(account.unchanged), *await _release_claims(tx.db, account))
    tx.after_commit(partial(security_log.note, "account_left", member_id=account.member_id))
    tx.finish_soon(todo(DELETED, about, clock.now() + DELAY), partial(finish_deletion, services))


@transaction
async def delete_child_account(tx: Transaction, key: Key[Account], services: Services) -> None:
    account = await tx.db.get(key)
    if account is None or not account.is_child:
        return
    about: dict[str, Any] = {"memberId": account.member_id, "families": []}
    tx.write(account.delete(account.unchanged))
    tx.finish_soon(todo(DELETED, about, clock.now() + DELAY), partial(finish_deletion, services))


async def finish_deletion(services: Services, db: Database, left: Todo) -> None:
    member_id = left.about["memberId"]
    await families_of(services).finish_leaving(services, left.about)
    await db.clear(Session.where(member_id=member_id))
    await db.clear(Device.where(member_id=member_id))
    await db.clear(FormerAddress.where(member_id=member_id))
    await db.write(Delete(AddressChange.key(member_id=member_id)))
    for kind in address_kinds():
        await db.clear(kind.where(member_id=member_id))
    await db.clear(StoredResponse.where(caller=member_id))
    if email_digest := left.about.get("emailDigest"):
        await db.clear(known_addresses(signing_in.SIGN_IN, email_digest))
    for each in services.slices:
        await each.person_gone(db, member_id)


async def _release_claims(db: Database, account: Account) -> list[Write]:
    """Release only the account's own claims: another account may have the address."""
    claim = await db.get(EmailClaim.key(email_digest=digest_of_email(account.email)))
    claims = [claim, await store.identity_claim_of(db, account)]
    own = [each.release() for each in claims if each and each.holder == account.member_id]
    named = {account.member_id} if account.password_hash is None else set()
    if account.issuer is not None and account.subject is not None:
        # A token of an account linked by command would create one with another id.
        named |= {account.member_id, member_id_of(account.issuer, account.subject)}
    now = clock.seconds()
    left = {"left_at": now, "ttl": now + DEPARTED_SECONDS}
    return [*own, *(Departure(member_id=each, **left).put() for each in sorted(named))]
