"""The accounts of people whom the provider vouches for.

Whose account it is says a claim of issuer and `sub`, never the `sub` alone: where people choose
that themselves, they could choose the id of somebody else's account.
"""

from homeshelf import clock, security_log
from homeshelf.access.families import families_of
from homeshelf.accounts import store as accounts
from homeshelf.accounts.model import (
    NO_SESSION,
    Account,
    Departure,
    EmailClaim,
    IdentityClaim,
    Session,
    digest_of_email,
    member_id_of,
)
from homeshelf.accounts.signing_in import require_enabled
from homeshelf.coordination.changing import Outcome, carry_out, change, replaced
from homeshelf.errors import Duplicate, Forbidden, Unauthenticated
from homeshelf.identity.model import Claims
from homeshelf.identity.provider import Provider
from homeshelf.sentences import _
from homeshelf.table import Database, Write, absent
from homeshelf.web.ids import is_id
from homeshelf.web.services import Services

NOT_LINKED = _(
    "There is an account here already that this sign-in does not belong to. "
    "Ask the person who runs Homeshelf to link the two."
)


async def account_of(
    services: Services,
    provider: Provider,
    claims: Claims,
    token: str,
    account: Account | None = None,
    claim: IdentityClaim | None = None,
    *,
    invited: bool = False,
) -> Account:
    """The account as it is now, made when somebody is seen for the first time.

    `token` is what the provider tells more about them for; `account` and `claim` are what was found
    by the token, for whom it is known already; `invited` says that they hold the link of an open
    invitation.
    """
    known = account is not None and account.is_linked_to(claims.issuer, claims.subject)
    if account is None or claim is None or account.member_id != claim.holder or not known:
        account = await _holder(services.db, claims)
    if account is None:
        account = await _let_in(services, provider, claims, token, invited)
    if not account.is_linked_to(claims.issuer, claims.subject):
        raise Unauthenticated(NOT_LINKED)
    require_enabled(account)
    if _tells_more(claims, account):
        return await _brought_up_to_date(services.db, claims, account.member_id)
    return account


def session_of(claims: Claims, account: Account) -> Session:
    """Nowhere but in the request: it begins and ends with the token."""
    at = clock.timestamp()
    return Session(
        session_id=NO_SESSION,
        member_id=account.member_id,
        era=account.era,
        device="",
        created_at=at,
        last_used_at=at,
        ttl=claims.expires_at,
    )


async def _holder(db: Database, claims: Claims) -> Account | None:
    claim = await db.get(claims.claim_key)
    if claim is None:
        return None
    account = await accounts.account(db, claim.holder)
    if account is None:  # it left, with its claim, between the two reads
        raise Unauthenticated
    return account


async def _let_in(
    services: Services, provider: Provider, claims: Claims, token: str, invited: bool
) -> Account:
    """Who has no claim yet: somebody new, or whose account was made before there were claims."""
    there = await accounts.account(services.db, claims.member_id)
    if there is None or there.predates_claims:
        claims = await provider.completed(claims, token)
    if there is None:
        await _require_welcome(services, claims, invited)
    return await _claimed(services.db, claims)


async def _require_welcome(services: Services, claims: Claims, invited: bool) -> None:
    """An invitation counts to an address that the provider has verified: anybody can claim
    another."""
    signup = services.settings.signup
    if signup == "closed":
        raise Forbidden(_("Nobody new can come in here."))
    if signup == "invited" and not invited and claims.email_verified and claims.new_email:
        invited = await families_of(services).is_invited(services.db, claims.new_email)
    if signup == "invited" and not invited:
        raise Forbidden(_("Only somebody who was invited can come in here."))


async def _claimed(db: Database, claims: Claims) -> Account:
    """The account with its claim, in one transaction: of many at once all find the same one."""
    key = Account.key(member_id=claims.member_id)

    async def decide() -> "Outcome[Account]":
        old = await db.get(key)
        # Read after the account: if another request made or linked that, the claim came with it.
        if holder := await _holder(db, claims):
            return holder, ()
        new = await _first_seen(db, claims) if old is None else _linked(claims, old)
        claim = IdentityClaim.of(claims.issuer, claims.subject, new.member_id)
        address = [] if old else await _claiming_address(db, new)
        return new, (new.put(old.unchanged if old else absent), claim.take(), *address)

    return await carry_out(db, key, decide)


async def _first_seen(db: Database, claims: Claims) -> Account:
    gone = await db.get(Departure.key(member_id=claims.member_id))
    if gone is not None and claims.issued_at <= gone.left_at:
        raise Unauthenticated
    at = clock.timestamp()
    return Account(
        member_id=claims.member_id,
        email=claims.new_email,
        email_verified=claims.email_verified and bool(claims.new_email),
        name=claims.called,
        origin="provider",
        issuer=claims.issuer,
        subject=claims.subject,
        created_at=at,
        updated_at=at,
    )


def _linked(claims: Claims, old: Account) -> Account:
    """An account from before there were claims, for who has its verified address as well."""
    verified = old.email_verified and claims.email_verified
    same = claims.email.lower() == old.email.lower()
    if not (old.predates_claims and verified and same):
        security_log.note("account_not_linked", member_id=old.member_id)
        raise Unauthenticated(NOT_LINKED)
    return old.linked_to(claims.issuer, claims.subject, clock.timestamp())


def _tells_more(claims: Claims, account: Account) -> bool:
    if not account.email:
        return bool(claims.new_email)
    same = claims.email == account.email or claims.new_email.lower() == account.email.lower()
    return same and claims.email_verified and not account.email_verified


async def _brought_up_to_date(db: Database, claims: Claims, member_id: str) -> Account:
    async def up_to_date(old: Account) -> "Outcome[Account]":
        if not _tells_more(claims, old):
            return old, ()
        verified = claims.email_verified
        new = old.revised(clock.timestamp(), email=claims.email, email_verified=verified)
        return new, await _claiming_address(db, new) if not old.email else ()

    return await change(db, Account.key(member_id=member_id), up_to_date, find=accounts.account_at)


async def _claiming_address(db: Database, account: Account) -> list[Write]:
    """The address is theirs alone, unless another account has it: that one keeps it."""
    if not account.email:
        return []
    claim = EmailClaim(email_digest=digest_of_email(account.email), holder=account.member_id)
    return [] if await db.get(claim.own_key()) else [claim.take()]


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

    async def decide() -> "Outcome[Account | None]":
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
        return new, (*replaced(old, new), claim.take(), *released, *accounts.told_to_streams(new))

    return await carry_out(db, account.own_key(), decide)
