from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import structlog
from starlette.background import BackgroundTask

from homeshelf import clock
from homeshelf.accounts import store, tokens
from homeshelf.accounts.addresses import AddressChange, FormerAddress
from homeshelf.accounts.browsers import localize_device
from homeshelf.accounts.limits import AccountLimits
from homeshelf.accounts.model import Account
from homeshelf.config import Settings
from homeshelf.errors import RateLimited
from homeshelf.languages import LANGUAGES, Language
from homeshelf.outbox.model import Letter, Message, Recipient, letter
from homeshelf.outbox.store import can_mail, can_reach, writes_for_all_channels
from homeshelf.sentences import _
from homeshelf.table import Write, absent
from homeshelf.web.services import Services

RESET_AGE = timedelta(days=1)
"""The age at which a waiting reset letter is dropped, as the person has requested another one."""

log = structlog.get_logger()


def recipient_of(services: Services, account: Account) -> Recipient:
    """Return the recipient, without an unverified address and without any if disabled."""
    language = letter_language(services, account)
    if account.is_disabled:
        return Recipient(account.name, language=language)
    email = account.email if account.email_verified else ""
    return Recipient(account.name, email, account.member_id, language)


async def _can_reach(services: Services, letter: Letter, account: Account) -> bool:
    recipient = recipient_of(services, account)
    return await can_reach(services.db, services.settings, letter, recipient)


def letter_language(services: Services, account: Account) -> Language:
    chosen = LANGUAGES.get(account.language) or LANGUAGES.get(account.came_with or "")
    return chosen or services.settings.language


def verification_writes(services: Services, account: Account) -> Sequence[Write]:
    if not account.awaits_verification:
        return ()
    return _rate_limited_writes(services, account, verification_letter(account))


def verification_letter(account: Account) -> Letter:
    return letter("verify", memberId=account.member_id)


def password_changed_writes(settings: Settings, account: Account) -> Sequence[Write]:
    return writes_for_all_channels(settings, letter("password_changed", memberId=account.member_id))


def send_reset(services: Services, email: str) -> BackgroundTask:
    """Return a task to run after the response, whose duration must not reveal the account."""
    return BackgroundTask(_send_reset, services, email)


async def _send_reset(services: Services, email: str) -> None:
    account = await store.get_account_by_email(services.db, email)
    if account is None or account.is_disabled:
        return
    reset = letter("reset", memberId=account.member_id, era=account.era)
    if writes := _rate_limited_writes(services, account, reset):
        await services.db.transact(*writes)


def _rate_limited_writes(services: Services, account: Account, letter: Letter) -> Sequence[Write]:
    """Return the write of the letter, unless the address has received too many."""
    if not can_mail(services.settings):
        return ()
    try:
        services.limits.of(AccountLimits).letters.take(account.email.lower())
    except RateLimited:
        log.warning("letter_held_back", kind=letter.kind, why="too many letters to one address")
        return ()
    return [letter.put(absent)]


async def write_verification(services: Services, letter: Letter) -> Message | None:
    account = await store.get_account(services.db, letter.about["memberId"])
    if account is None or account.email_verified:
        return None
    token = tokens.verification_token(services.signer, account)
    return Message(
        to=replace(recipient_of(services, account), email=account.email),
        title=_("Is this your address?"),
        before=(
            _("Someone signed up for Homeshelf with this address."),
            _("If that was you, please confirm your address."),
            _(
                "Then mail about your home can reach you, and you’ll see your invitations "
                "when you sign in."
            ),
        ),
        link=f"{services.settings.public_url}/verify/{token}",
        link_text=_("Yes, it’s mine"),
        after=(_("This link works for one day. If it wasn’t you, ignore this mail."),),
    )


async def write_new_address(services: Services, letter: Letter) -> Message | None:
    """Ask to confirm an address; the mail has only a name, as it may reach a stranger."""
    member_id, link_id = letter.about["memberId"], letter.about["link"]
    account = await store.get_account(services.db, member_id)
    change = await services.db.get(AddressChange.key(member_id=member_id))
    if account is None or change is None or not change.is_open_to(account, link_id):
        return None
    token = tokens.new_address_token(services.signer, change)
    return Message(
        to=replace(recipient_of(services, account), email=change.email),
        title=_("Is this your new address?"),
        before=(
            _("{name} wants to use this address for Homeshelf.", name=account.name),
            _("If that was you, please confirm. You’ll sign in with this address from then on."),
        ),
        link=f"{services.settings.public_url}/verify/{token}",
        link_text=_("Yes, it’s mine"),
        after=(_("This link works for one day. If it wasn’t you, ignore this mail."),),
    )


async def write_address_changed(services: Services, letter: Letter) -> Message | None:
    member_id = letter.about["memberId"]
    account = await store.get_account(services.db, member_id)
    key = FormerAddress.key(member_id=member_id, letter_id=letter.letter_id)
    former = await services.db.get(key)
    if account is None or former is None:
        return None
    return Message(
        to=replace(recipient_of(services, account), email=former.email),
        title=_("Your address was changed"),
        before=(
            _(
                "Since {day}, you sign in to Homeshelf with another address. Mail goes there too.",
                day=_local_time(letter, account),
            ),
            _("If that was you, you’re all set."),
            _(
                "If not, change your password, sign out any device you don’t know, and "
                "tell the person who runs your Homeshelf."
            ),
        ),
        link=f"{services.settings.public_url}/settings",
        link_text=_("Open your settings"),
        after=(_("This is the last mail to this address."),),
    )


async def write_reset(services: Services, letter: Letter) -> Message | None:
    written_at = datetime.fromisoformat(letter.written_at)
    account = await store.get_account(services.db, letter.about["memberId"])
    if (
        account is None
        or account.era != letter.about["era"]
        or written_at < clock.now() - RESET_AGE
    ):
        return None
    token = tokens.reset_token(services.signer, account)
    return Message(
        to=replace(recipient_of(services, account), email=account.email),
        title=_("Reset your Homeshelf password"),
        before=(_("You asked for a new password."),),
        link=f"{services.settings.public_url}/reset/{token}",
        link_text=_("Choose a new password"),
        after=(
            _("This link works once, for one hour."),
            _("If you didn’t ask for this, ignore this mail. Your password stays the same."),
        ),
    )


async def write_new_device(services: Services, letter: Letter) -> Message | None:
    about = letter.about
    account = await store.get_account(services.db, about["memberId"])
    if account is None or not await _can_reach(services, letter, account):
        return None
    at = _local_time(letter, account)
    return Message(
        to=recipient_of(services, account),
        title=_("A new device signed in"),
        before=(
            _(
                "On {day} at {time}, someone signed in to Homeshelf as you: {device}, "
                "from {address}.",
                day=at,
                time=f"{at:%H:%M}",
                device=localize_device(about["device"]),
                address=about["address"],
            ),
            _("If that was you, you’re all set."),
            _("If not, sign that device out and change your password now."),
        ),
        link=f"{services.settings.public_url}/settings#devices",
        link_text=_("See your devices"),
        after=(_("We send this mail when a new device signs in."),),
    )


async def write_password_changed(services: Services, letter: Letter) -> Message | None:
    account = await store.get_account(services.db, letter.about["memberId"])
    if account is None or not await _can_reach(services, letter, account):
        return None
    return Message(
        to=recipient_of(services, account),
        title=_("Your password was changed"),
        before=(
            _("Your Homeshelf password was changed on {day}.", day=_local_time(letter, account)),
            _("If that was you, you’re all set."),
            _("If not, choose a new one now. Everyone else will be signed out."),
        ),
        link=f"{services.settings.public_url}/forgotten",
        link_text=_("This wasn’t me"),
        after=(_("We send this mail when your password changes."),),
    )


def _local_time(letter: Letter, account: Account) -> datetime:
    return datetime.fromisoformat(letter.written_at).astimezone(clock.zone_of(account.time_zone))
