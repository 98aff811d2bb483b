"""Mail to people about their accounts."""

from datetime import datetime, timedelta

from homeshelf import clock
from homeshelf.accounts import store, tokens
from homeshelf.accounts.model import Account
from homeshelf.mail.model import Letter, Words, letter
from homeshelf.web.services import Services
from homeshelf.web.wording import day

RESET_WAITS = timedelta(days=1)
"""Who still wants a new password after that has asked again."""


def verification_letter(account: Account) -> Letter:
    return letter("verify", memberId=account.member_id)


def reset_letter(account: Account) -> Letter:
    return letter("reset", memberId=account.member_id, era=account.era)


def password_changed_letter(account: Account) -> Letter:
    return letter("password_changed", memberId=account.member_id)


async def write_verification(services: Services, letter: Letter) -> Words | None:
    account = await store.account(services.db, letter.about["memberId"])
    if account is None or account.email_verified:
        return None
    token = tokens.verification_token(services.signer, account)
    return Words(
        to=account.email,
        name=account.name,
        subject="Is this your address?",
        before=(
            "Somebody signed up at Homeshelf with this address.",
            "If that was you, please say so.",
            "Then mail about your home reaches you, and invitations find you by themselves.",
        ),
        link=f"{services.settings.public_url}/verify/{token}",
        link_word="Yes, it is mine",
        after=("The link holds for a day. If it was not you, do nothing.",),
    )


async def write_reset(services: Services, letter: Letter) -> Words | None:
    account = await store.account(services.db, letter.about["memberId"])
    if account is None or account.era != letter.about["era"] or _is_stale(letter):
        return None
    token = tokens.reset_token(services.signer, account)
    return Words(
        to=account.email,
        name=account.name,
        subject="A new password for Homeshelf",
        before=("You asked for a new password.",),
        link=f"{services.settings.public_url}/reset/{token}",
        link_word="Choose a new password",
        after=(
            "The link holds for an hour and works once.",
            "If you did not ask for it, do nothing: your password stays as it is.",
        ),
    )


async def write_password_changed(services: Services, letter: Letter) -> Words | None:
    account = await store.account(services.db, letter.about["memberId"])
    if account is None or not account.email_verified:
        return None
    return Words(
        to=account.email,
        name=account.name,
        subject="Your password was changed",
        before=(
            f"Your password for Homeshelf was changed on {day(letter.written_at)}.",
            "If that was you, all is well.",
            "If not, choose a new one now: that signs everybody else out.",
        ),
        link=f"{services.settings.public_url}/forgotten",
        link_word="It was not me",
        after=("You get this whenever your password changes.",),
    )


def _is_stale(letter: Letter) -> bool:
    return clock.now() - datetime.fromisoformat(letter.written_at) > RESET_WAITS
