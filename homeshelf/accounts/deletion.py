"""Leaving for good: the account goes first, and what was only theirs follows."""

from datetime import datetime, timedelta
from functools import partial

from homeshelf import clock
from homeshelf.access.families import families_of
from homeshelf.accounts import store, tries
from homeshelf.accounts.model import (
    Account,
    Departure,
    EmailClaim,
    Session,
    digest_of_email,
    member_id_of,
)
from homeshelf.coordination.idempotency import Answer
from homeshelf.coordination.todos import Todo, finish_soon, todo
from homeshelf.errors import Invalid, TooMany
from homeshelf.sentences import _
from homeshelf.table import Database, Write
from homeshelf.web.services import Services

KIND = "account_left"
MOST_FAMILIES = 30
"""As many as one transaction can leave."""
DEPARTED_SECONDS = 24 * 3600
"""Longer than the tokens of an identity provider hold."""


async def delete_account(services: Services, member_id: str, known: str | None) -> None:
    """`known` is the hash of the password that they have shown to know."""

    db = services.db

    async def attempt() -> Todo:
        account = await store.account_of(db, member_id)
        if account.password_hash != known:
            raise Invalid([("password", _("This was your password until a moment ago."))])
        if len(account.families) > MOST_FAMILIES:
            raise TooMany(
                _("You are in too many families to leave at once. Leave some of them first.")
            )
        theirs, leaving = await families_of(services).leaving(db, account, clock.timestamp())
        about = {"memberId": member_id, **theirs, "emailDigest": _own_address(account)}
        rest = todo(KIND, about, _in_a_while())
        await db.transact(
            account.delete(account.unchanged),
            *await _forgetting(db, account),
            *leaving,
            rest.put(),
        )
        return rest

    rest = await db.settle(Account.key(member_id=member_id), attempt)
    await finish_soon(db, rest, partial(finish, services))


async def finish(services: Services, db: Database, left: Todo) -> None:
    member_id = left.about["memberId"]
    await families_of(services).left(services, left.about)
    await db.clear(Session.where(member_id=member_id))
    await db.clear(Answer.where(caller=member_id))
    if email_digest := left.about.get("emailDigest"):
        await db.clear(tries.signed_in_from(email_digest))
    for each in services.slices:
        await each.person_gone(db, member_id)


def _own_address(account: Account) -> str | None:
    """Where they had a password, nobody else has the address."""
    return digest_of_email(account.email) if account.password_hash else None


async def _forgetting(db: Database, account: Account) -> list[Write]:
    """Somebody else may have the address, where an identity provider named it."""
    writes: list[Write] = []
    claim = await db.get(EmailClaim.key(email_digest=digest_of_email(account.email)))
    if claim is not None and claim.holder == account.member_id:
        writes.append(claim.release())
    if linked := await store.identity_claim_of(db, account):
        writes.append(linked.release())
    named = {account.member_id} if account.password_hash is None else set()
    if account.issuer is not None and account.subject is not None:
        # Where it was linked by hand, their token would begin an account with another id.
        named |= {account.member_id, member_id_of(account.issuer, account.subject)}
    now = clock.seconds()
    until = now + DEPARTED_SECONDS
    writes += [Departure(member_id=each, left_at=now, ttl=until).put() for each in sorted(named)]
    return writes


def _in_a_while() -> datetime:
    return clock.now() + timedelta(seconds=10)
