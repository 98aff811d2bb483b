"""What is counted when somebody says that they know a password."""

from contextlib import AbstractAsyncContextManager

from homeshelf.accounts.model import Account
from homeshelf.table import Query
from homeshelf.web.attempts import Anywhere, Attempt, Count
from homeshelf.web.known_addresses import Arrival, KnownAddress, known_addresses
from homeshelf.web.lanes import Permit
from homeshelf.web.services import Services

Try = AbstractAsyncContextManager[tuple[Attempt, Permit]]

SIGN_IN = "sign-in-email"


def to_sign_in(services: Services, email: str, address: str) -> Try:
    narrow, wide = _from_there(services, email, address)
    count = Count(SIGN_IN, email.lower(), services.settings.limit_signins_email)
    return services.limits.attempt(
        narrow, wide, successes=_successes(services, email), anywhere=Anywhere(count, address)
    )


def to_confirm(services: Services, account: Account, address: str) -> Try:
    """By somebody who is signed in: what strangers guess at the door does not count here."""
    email = account.email
    narrow, wide = _from_there(services, email, address)
    count = Count("confirm", email.lower(), services.settings.limit_signins_email)
    return services.limits.attempt(narrow, count, wide, successes=_successes(services, email))


def arrival(email: str, address: str) -> Arrival:
    return Arrival(SIGN_IN, email.lower(), address)


def signed_in_from(email_digest: str) -> Query[KnownAddress]:
    """The addresses from which somebody signed in."""
    return known_addresses(SIGN_IN, email_digest)


def _from_there(services: Services, email: str, address: str) -> tuple[Count, Count]:
    settings = services.settings
    return (
        Count("sign-in", f"{email.lower()} {address}", settings.limit_signins),
        Count("sign-in-address", address, settings.limit_signins_address),
    )


def _successes(services: Services, email: str) -> Count:
    return Count("signed-in", email.lower(), services.settings.limit_signed_in)
