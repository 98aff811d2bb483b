"""Sign people up and in, reset and confirm passwords, within the rate limits."""

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass

from homeshelf import clock, security_log
from homeshelf.access.families import families_of
from homeshelf.accounts import passwords, store, tokens
from homeshelf.accounts.addresses import PendingAddress, set_child_credentials
from homeshelf.accounts.bodies import SignUp
from homeshelf.accounts.limits import AccountLimits
from homeshelf.accounts.messages import password_changed_writes, verification_writes
from homeshelf.accounts.model import Account, NewPassword, Session, SessionPolicy
from homeshelf.coordination.attempts import Attempt, Count, GlobalCount, KnownAddress
from homeshelf.errors import Disabled, Forbidden, Invalid, NotForChildren, NotFound, Unauthenticated
from homeshelf.languages import Language
from homeshelf.sentences import _
from homeshelf.web.limits import Lane
from homeshelf.web.services import Services

SIGN_IN = "sign-in-email"


async def sign_up(
    services: Services, address: str, body: SignUp, came_with: Language | None, *, invited: bool
) -> Account:
    signup = services.settings.signup
    if signup == "closed":
        raise Forbidden(_("Sign-up is closed here."))
    limits = services.limits.of(AccountLimits)
    with limits.sign_ups.place() as lane:
        limits.signups.take(address)
        if signup == "invited" and not invited:
            invited = await families_of(services).is_invited(services.db, body.email)
        if signup == "invited" and not invited:
            raise Forbidden(_("You need an invitation to sign up here."))
        refuse_personal(body.password, body.email, body.name)
        at = clock.timestamp()
        account = Account(
            member_id=clock.new_id(),
            email=body.email,
            name=body.name,
            password_hash=await passwords.hash_password(body.password, lane),
            origin="password",
            came_with=came_with.code if came_with else None,
            created_at=at,
            updated_at=at,
        )
    await store.create_account(
        services.db,
        account,
        KnownAddress.now(SIGN_IN, body.email.lower(), address).put(),
        *verification_writes(services, account),
    )
    security_log.note("account_made", member_id=account.member_id)
    return account


async def sign_in(services: Services, address: str, email: str, password: str) -> Account:
    """Return the account if the password is right, in the same time for unknown addresses."""
    async with _attempt(services, email, address) as (attempt, lane):
        account = await store.get_account_by_email(services.db, email)
        right = await passwords.verify_password(
            password, account.password_hash if account else None, lane
        )
        if account is None or not right:
            security_log.note("sign_in_failed", member_id=account.member_id if account else None)
            raise Unauthenticated(_("The e-mail address or the password is wrong."))
        require_enabled(account)
        await attempt.mark_success()
        return account


async def refresh_session(
    services: Services, refresh_token: str, family_id: str | None
) -> tuple[Session, str | None]:
    """Use a refresh token; return the session and the family for its new tokens."""
    turn = tokens.read_refresh_token(services.signer, refresh_token)
    policy = SessionPolicy.from_settings(services.settings)
    if turn is None:
        raise Unauthenticated if policy.issuer is None else NotFound
    member_id, session_id, number, chosen = turn
    key = Session.key(member_id=member_id, session_id=session_id)
    renewed = await store.use_refresh_token(services.db, key, member_id, policy, number, family_id)
    if renewed is None:
        raise Unauthenticated
    account, session = renewed
    return session, family_id or (chosen if chosen in account.families else None)


def require_enabled(account: Account) -> None:
    """Raise Disabled, but only for callers who have proved that the account is theirs."""
    if account.is_disabled:
        security_log.note("sign_in_refused", member_id=account.member_id, why="disabled")
        raise Disabled


async def confirm_password(
    services: Services, address: str, account: Account, password: str, field: str
) -> None:
    """Check a signed-in caller's password, because another person may hold the phone."""
    async with _attempt(services, account.email, address, confirming=True) as (attempt, lane):
        if not await passwords.verify_password(password, account.password_hash, lane):
            security_log.note("password_not_confirmed")
            raise Invalid([(field, _("That isn’t your password."))])
        await attempt.mark_success()


async def hash_new_password(
    services: Services, address: str, account: Account, current: str, password: str
) -> NewPassword:
    if account.is_child:
        raise NotForChildren
    if not current:
        raise Invalid(
            [("currentPassword", _("To change your password, enter the current one too."))]
        )
    refuse_personal(password, account.email, account.name)
    await confirm_password(services, address, account, current, "currentPassword")
    with services.limits.of(AccountLimits).trusted.place() as lane:
        return NewPassword(await passwords.hash_password(password, lane), account.password_hash)


async def reset_password(services: Services, address: str, token: str, password: str) -> None:
    """Set the password with a link, which is checked before anything is hashed."""
    services.limits.of(AccountLimits).links.take(address)
    with log_link_refusal("reset"):
        link = await read_password_link(services, token)
    account = link.account
    refuse_personal(password, link.email, account.name)
    async with services.limits.turns.take(f"reset {account.member_id}"):
        await read_password_link(services, token)  # of many at once one uses it, and one is hashed
        with services.limits.of(AccountLimits).trusted.place() as lane:
            made = await passwords.hash_password(password, lane)
        db, key, verified = services.db, account.own_key(), link.mailed
        if link.pending is not None:
            await set_child_credentials(db, key, services, link.pending, made, verified=verified)
        else:
            letters = password_changed_writes(services.settings, account)
            await store.reset_password(db, key, account.era, made, *letters, verified=verified)
    security_log.note("password_changed", member_id=account.member_id, way="link")
    arrival = KnownAddress.now(SIGN_IN, link.email.lower(), address)
    await services.db.transact(*await arrival.success_writes(services.db, None))


@dataclass(frozen=True)
class PasswordLink:
    account: Account
    email: str
    pending: PendingAddress | None = None
    """The address that a child gets together with its first password."""
    mailed: bool = True


async def read_password_link(services: Services, token: str) -> PasswordLink:
    db, signer = services.db, services.signer
    if claims := tokens.read_mailed_token(signer, token, "reset"):
        account = await store.get_account(db, claims["sub"])
        if account is not None and tokens.can_reset(claims, account) and not account.is_disabled:
            return PasswordLink(account, account.email, mailed="shown" not in claims)
    if claims := tokens.read_mailed_token(signer, token, "address"):
        account = await store.get_account(db, claims["sub"])
        pending = await db.get(PendingAddress.key(member_id=claims["sub"]))
        if account is None or account.is_disabled:
            pending = None
        if account is not None and pending is not None and pending.link_id == claims["link"]:
            return PasswordLink(account, pending.email, pending, mailed="mailed" in claims)
    raise NotFound(_("This link has been used or is too old. Ask for a new one."))


@contextmanager
def log_link_refusal(kind: str) -> Iterator[None]:
    try:
        yield
    except NotFound:
        security_log.note("link_refused", kind=kind)
        raise


def refuse_personal(password: str, email: str, name: str) -> None:
    if passwords.is_personal(password, email, name):
        raise Invalid([("password", passwords.PERSONAL)])


def _attempt(
    services: Services, email: str, address: str, *, confirming: bool = False
) -> AbstractAsyncContextManager[tuple[Attempt, Lane]]:
    """Count an attempt; a stranger's attempts do not lock out a signed-in caller."""
    settings, email = services.settings, email.lower()
    narrow = Count("sign-in", f"{email} {address}", settings.limit_signins)
    wide = Count("sign-in-address", address, settings.limit_signins_address)
    right = Count("signed-in", email, settings.limit_signed_in)
    limits = services.limits.of(AccountLimits)
    lanes = limits.trusted, limits.untrusted
    if confirming:
        own = Count("confirm", email, settings.limit_signins_email)
        return services.limits.attempt(narrow, own, wide, successes=right, lanes=lanes)
    global_count = GlobalCount(Count(SIGN_IN, email, settings.limit_signins_email), address)
    return services.limits.attempt(
        narrow, wide, successes=right, global_count=global_count, lanes=lanes
    )
