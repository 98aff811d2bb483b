"""Find, create and link the accounts of people whom the identity provider signs in.

A claim of issuer and `sub` finds the account, never the `sub` alone: people who choose their own
`sub` could choose the id of another account.
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
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.errors import Duplicate, Forbidden, Unauthenticated
from homeshelf.identity.model import Claims
from homeshelf.identity.provider import Provider
from homeshelf.sentences import _
from homeshelf.table import Database, Key, absent
from homeshelf.web.ids import is_id
from homeshelf.web.services import Services

NOT_LINKED = _(
    "This sign-in doesn’t match the account here. Ask the person who runs "
    "Homeshelf to link the two."
)


async def account_for(
    services: Services,
    provider: Provider,
    claims: Claims,
    token: str,
    account: Account | None = None,
    claim: IdentityClaim | None = None,
    *,
    invited: bool = False,
) -> Account:
    """Return the account of these claims, and create it at the first sign-in."""
    known = account is not None and account.is_linked_to(claims.issuer, claims.subject)
    if account is None or claim is None or account.member_id != claim.holder or not known:
        account = await _holder(services.db, claims)
    if account is None:
        account = await _create_or_link(services, provider, claims, token, invited)
    if not account.is_linked_to(claims.issuer, claims.subject):
        raise Unauthenticated(NOT_LINKED)
    require_enabled(account)
    if _has_new_address(claims, account):
        return await _update(services.db, account.own_key(), claims)
    return account


def unstored_session(claims: Claims, account: Account) -> Session:
    session = accounts.new_session(account, device="")
    return session.changed(session_id=NO_SESSION, ttl=claims.expires_at)


async def _holder(db: Database, claims: Claims) -> Account | None:
    claim = await db.get(claims.claim_key)
    if claim is None:
        return None
    account = await accounts.get_account(db, claim.holder)
    if account is None:  # the account and its claim were deleted between the two reads
        raise Unauthenticated
    return account


async def _create_or_link(
    services: Services, provider: Provider, claims: Claims, token: str, invited: bool
) -> Account:
    """Create an account, or link one that is older than the claims."""
    old = await accounts.get_account(services.db, claims.member_id)
    if old is None or old.predates_claims:
        claims = await provider.add_user_info(claims, token)
    if old is None:
        await _require_sign_up_allowed(services, claims, invited)
    return await _claim_identity(services.db, Account.key(member_id=claims.member_id), claims)


async def _require_sign_up_allowed(services: Services, claims: Claims, invited: bool) -> None:
    """Refuse sign-ups without an invitation, which only a verified address finds."""
    signup = services.settings.signup
    if signup == "closed":
        raise Forbidden(_("New accounts are closed here."))
    if signup == "invited" and not invited and claims.email_verified and claims.new_email:
        invited = await families_of(services).is_invited(services.db, claims.new_email)
    if signup == "invited" and not invited:
        raise Forbidden(_("You need an invitation to join."))


@transaction
async def _claim_identity(tx: Transaction, key: Key[Account], claims: Claims) -> Account:
    """Create or link the account with its claim; concurrent requests get the same account."""
    old = await tx.db.get(key)
    # Read after the account: a concurrent request writes both at once.
    if holder := await _holder(tx.db, claims):
        return holder
    new = await _new_account(tx.db, claims) if old is None else _link_old_account(claims, old)
    claim = IdentityClaim.of(claims.issuer, claims.subject, new.member_id)
    tx.write(new.put(old.unchanged if old else absent), claim.take())
    if old is None:
        await _claim_address(tx, new)
    return new


async def _new_account(db: Database, claims: Claims) -> Account:
    gone = await db.get(Departure.key(member_id=claims.member_id))
    if gone is not None and claims.issued_at <= gone.left_at:
        raise Unauthenticated
    at = clock.timestamp()
    return Account(
        member_id=claims.member_id,
        email=claims.new_email,
        email_verified=claims.email_verified and bool(claims.new_email),
        name=claims.display_name,
        origin="provider",
        issuer=claims.issuer,
        subject=claims.subject,
        created_at=at,
        updated_at=at,
    )


def _link_old_account(claims: Claims, old: Account) -> Account:
    """Link an account that is older than the claims, if both verified the same address."""
    verified = old.email_verified and claims.email_verified
    same = claims.email.lower() == old.email.lower()
    if not (old.predates_claims and verified and same):
        security_log.note("account_not_linked", member_id=old.member_id)
        raise Unauthenticated(NOT_LINKED)
    return old.with_identity(claims.issuer, claims.subject, clock.timestamp())


def _has_new_address(claims: Claims, account: Account) -> bool:
    if not account.email:
        return bool(claims.new_email)
    same = claims.email == account.email or claims.new_email.lower() == account.email.lower()
    return same and claims.email_verified and not account.email_verified


@transaction
async def _update(tx: Transaction, key: Key[Account], claims: Claims) -> Account:
    old = await accounts.require_account(tx.db, key)
    if not _has_new_address(claims, old):
        return old
    verified = claims.email_verified
    new = old.revised(clock.timestamp(), email=claims.email, email_verified=verified)
    tx.replace(old, new)
    if not old.email:
        await _claim_address(tx, new)
    return new


async def _claim_address(tx: Transaction, account: Account) -> None:
    """Claim the address, unless another account has it already."""
    if account.email:
        claim = EmailClaim(email_digest=digest_of_email(account.email), holder=account.member_id)
        if await tx.db.get(claim.own_key()) is None:
            tx.write(claim.take())


async def find_account(db: Database, who: str, issuer: str, subject: str) -> Account | None:
    """Find an account by id or address; of two with the address, prefer the one for this `sub`."""
    if is_id(who):
        return await accounts.get_account(db, who.lower())
    made = await accounts.get_account(db, member_id_of(issuer, subject))
    if made is not None and who and made.email.lower() == who.lower():
        return made
    return await accounts.get_account_by_email(db, who)


@transaction
async def link_account(
    tx: Transaction, account: Account, issuer: str, subject: str
) -> Account | None:
    """Link an account to a provider's `sub` instead of a former one; None if it is gone."""
    old = await tx.db.get(account.own_key())
    if old is None or old.is_linked_to(issuer, subject):
        return old
    claim = IdentityClaim.of(issuer, subject, old.member_id)
    taken = await tx.db.get(claim.own_key())
    if taken is not None and taken.holder != old.member_id:
        raise Duplicate(
            detail=_("{subject} is already linked to another account.", subject=subject)
        )
    new = old.with_identity(issuer, subject, clock.timestamp())
    tx.replace(old, new)
    tx.write(claim.take(), *accounts.stream_end_writes(new))
    if before := await accounts.identity_claim_of(tx.db, old):
        tx.write(before.release())
    return new
