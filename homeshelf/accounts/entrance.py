"""Who is let in: signing up, signing in and proving that it is still you.

The API and the pages both come this way, so that nobody goes round a limit.
"""

from collections.abc import Sequence

from homeshelf import clock
from homeshelf.accounts import passwords, store
from homeshelf.accounts.model import Account
from homeshelf.accounts.posting import welcome_writes
from homeshelf.errors import Forbidden, Invalid, Unauthenticated
from homeshelf.families.invitations import is_invited
from homeshelf.web.attempts import Count
from homeshelf.web.house import House


async def sign_up(
    house: House, address: str, email: str, password: str, name: str, *, invited: bool = False
) -> Account:
    """A new account. `invited` says that the person holds the link of an open invitation."""
    if house.settings.signup == "closed":
        raise Forbidden("Nobody can sign up here.")
    house.limits.signups.take(address)
    if house.settings.signup == "invited" and not (invited or await is_invited(house.db, email)):
        raise Forbidden("Only somebody who was invited can sign up here.")
    at = clock.timestamp()
    account = Account(
        member_id=clock.new_id(),
        email=email,
        name=name,
        password_hash=await passwords.hashed(password),
        created_at=at,
        updated_at=at,
    )
    await store.open_account(house.db, account, *welcome_writes(house, account))
    return account


async def sign_in(house: House, address: str, email: str, password: str) -> Account:
    """The account, if the password is its own. An unknown address takes as long as a known one."""
    async with house.limits.attempt(*_sign_ins(house, email, address)) as attempt:
        account = await store.account_with_email(house.db, email)
        right = await passwords.matches(password, account.password_hash if account else None)
        if account is None or not right:
            raise Unauthenticated("The e-mail address or the password is wrong.")
        await attempt.forgive()
        return account


async def confirm(house: House, address: str, account: Account, password: str, field: str) -> None:
    """That somebody who is signed in knows the password: they might have found the phone."""
    async with house.limits.attempt(*_sign_ins(house, account.email, address)) as attempt:
        if not await passwords.matches(password, account.password_hash):
            raise Invalid([(field, "This is not your password.")])
        await attempt.forgive()


async def confirm_leaving(house: House, address: str, account: Account, password: str) -> None:
    """Whom an identity provider vouches for has no password to show."""
    if account.password_hash is None:
        return
    if not password:
        raise Invalid([("password", "The password is needed, at most 128 characters.")])
    await confirm(house, address, account, password, "password")


def _sign_ins(house: House, email: str, address: str) -> Sequence[Count]:
    settings = house.settings
    return (
        Count("sign-in", f"{email.lower()} {address}", settings.limit_signins),
        Count("sign-in-address", address, settings.limit_signins_address),
    )
