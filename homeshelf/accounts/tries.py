"""What is counted when somebody says that they know a password."""

from contextlib import AbstractAsyncContextManager

from homeshelf.accounts.model import Account
from homeshelf.table import Query
from homeshelf.web.attempts import Anywhere, Attempt, Count
from homeshelf.web.house import House
from homeshelf.web.known_addresses import Arrival, KnownAddress, known_addresses
from homeshelf.web.lanes import Place

Try = AbstractAsyncContextManager[tuple[Attempt, Place]]

SIGN_IN = "sign-in-email"


def to_sign_in(house: House, email: str, address: str) -> Try:
    narrow, wide = _from_there(house, email, address)
    count = Count(SIGN_IN, email.lower(), house.settings.limit_signins_email)
    return house.limits.attempt(
        narrow, wide, successes=_successes(house, email), anywhere=Anywhere(count, address)
    )


def to_confirm(house: House, account: Account, address: str) -> Try:
    """By somebody who is signed in: what strangers guess at the door does not count here."""
    email = account.email
    narrow, wide = _from_there(house, email, address)
    count = Count("confirm", email.lower(), house.settings.limit_signins_email)
    return house.limits.attempt(narrow, count, wide, successes=_successes(house, email))


def arrival(email: str, address: str) -> Arrival:
    return Arrival(SIGN_IN, email.lower(), address)


def signed_in_from(email_digest: str) -> Query[KnownAddress]:
    """The addresses from which somebody signed in."""
    return known_addresses(SIGN_IN, email_digest)


def _from_there(house: House, email: str, address: str) -> tuple[Count, Count]:
    settings = house.settings
    return (
        Count("sign-in", f"{email.lower()} {address}", settings.limit_signins),
        Count("sign-in-address", address, settings.limit_signins_address),
    )


def _successes(house: House, email: str) -> Count:
    return Count("signed-in", email.lower(), house.settings.limit_signed_in)
