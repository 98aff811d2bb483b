"""The accounts of people whom the provider vouches for."""

from homeshelf import clock
from homeshelf.accounts.model import NO_SESSION, Account, Departure, EmailClaim, Session
from homeshelf.errors import Forbidden, Unauthenticated
from homeshelf.families import store as families
from homeshelf.families.invitations import is_invited
from homeshelf.families.model import digest_of_email
from homeshelf.identity.model import Claims
from homeshelf.table import Database, Write, absent
from homeshelf.web.house import House


async def account_of(
    house: House, claims: Claims, account: Account | None, token: str, *, invited: bool = False
) -> Account:
    """The account as it is now, made when somebody is seen for the first time.

    `token` is what the provider tells more about them for; `invited` says that they hold the link
    of an open invitation.
    """
    if account is None:
        if house.identity is not None:
            claims = await house.identity.completed(claims, token)
        await _require_welcome(house, claims, invited)
        return await _first_seen(house.db, claims)
    if _tells_more(claims, account):
        return await _brought_up_to_date(house.db, claims)
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


async def _require_welcome(house: House, claims: Claims, invited: bool) -> None:
    match house.settings.signup:
        case "closed":
            raise Forbidden("Nobody new can come in here.")
        case "invited" if not (invited or await _is_invited(house.db, claims)):
            raise Forbidden("Only somebody who was invited can come in here.")


async def _is_invited(db: Database, claims: Claims) -> bool:
    """By an address that the provider has verified: anybody can claim another."""
    return claims.email_verified and await is_invited(db, claims.email)


async def _first_seen(db: Database, claims: Claims) -> Account:
    at = clock.timestamp()
    new = Account(
        member_id=claims.member_id,
        email=claims.email,
        email_verified=claims.email_verified,
        name=claims.called,
        created_at=at,
        updated_at=at,
    )

    async def attempt() -> Account:
        if there := await db.get(new.own_key()):
            return there
        gone = await db.get(Departure.key(member_id=claims.member_id))
        if gone is not None and claims.issued_at <= gone.left_at:
            raise Unauthenticated
        await db.transact(new.put(absent), *await _claiming(db, new))
        return new

    return await db.settle(new.own_key(), attempt)


def _tells_more(claims: Claims, account: Account) -> bool:
    if not claims.email:
        return False
    if not account.email:
        return True
    same = claims.email.lower() == account.email.lower()
    return same and claims.email_verified and not account.email_verified


async def _brought_up_to_date(db: Database, claims: Claims) -> Account:
    key = Account.key(member_id=claims.member_id)

    async def attempt() -> Account:
        old = await families.account_of(db, claims.member_id)
        if not _tells_more(claims, old):
            return old
        verified = claims.email_verified
        new = old.revised(clock.timestamp(), email=claims.email, email_verified=verified)
        claiming = await _claiming(db, new) if not old.email else []
        await db.transact(new.replacing(old), *claiming)
        return new

    return await db.settle(key, attempt)


async def _claiming(db: Database, account: Account) -> list[Write]:
    """The address is theirs alone, unless another account has it: that one keeps it."""
    if not account.email:
        return []
    claim = EmailClaim(email_digest=digest_of_email(account.email), holder=account.member_id)
    return [] if await db.get(claim.own_key()) else [claim.take()]
