"""Saying by hand whose account it is that the provider calls by a `sub`."""

from homeshelf import clock
from homeshelf.accounts import store as accounts
from homeshelf.accounts.model import Account, IdentityClaim, member_id_of
from homeshelf.coordination.changing import Outcome, carry_out, replaced
from homeshelf.errors import Duplicate
from homeshelf.sentences import _
from homeshelf.table import Database
from homeshelf.web.ids import is_id


async def account_meant(db: Database, who: str, issuer: str, subject: str) -> Account | None:
    """The account with an address, or with an id for who has none.

    An address may have two: the one that the provider made for this very `sub` is meant, then.
    """
    if is_id(who):
        return await accounts.account(db, who.lower())
    made = await accounts.account(db, member_id_of(issuer, subject))
    if made is not None and who and made.email.lower() == who.lower():
        return made
    return await accounts.account_with_email(db, who)


async def link(db: Database, account: Account, issuer: str, subject: str) -> Account | None:
    """Link an account to what the provider calls somebody, instead of what it was linked to.

    Returns None where the account is gone.
    """
    claim = IdentityClaim.of(issuer, subject, account.member_id)

    async def decide() -> Outcome[Account | None]:
        old = await accounts.account(db, account.member_id)
        if old is None or old.is_linked_to(issuer, subject):
            return old, ()
        taken = await db.get(claim.own_key())
        if taken is not None and taken.holder != old.member_id:
            raise Duplicate(
                detail=_("{subject} is linked to another account already.", subject=subject)
            )
        before = await accounts.identity_claim_of(db, old)
        released = [] if before is None else [before.release()]
        new = old.linked_to(issuer, subject, clock.timestamp())
        told = accounts.told_to_streams(new)
        return new, (*replaced(old, new), claim.take(), *released, *told)

    return await carry_out(db, account.own_key(), decide)
