"""Addresses that a mailed link shows to be somebody's own: the first one, and another one later.

Opening a link does nothing: scanners of mail open every one. Its page has a button.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from homeshelf import clock, security_log
from homeshelf.access.families import families_of
from homeshelf.accounts import profile, signing_in, store, tokens
from homeshelf.accounts.addresses import TAKEN
from homeshelf.accounts.model import Account, EmailClaim, digest_of_email
from homeshelf.accounts.new_address import AddressChange, FormerAddress
from homeshelf.coordination.changing import Outcome, carry_out, replaced
from homeshelf.coordination.todos import Todo, finish_soon
from homeshelf.errors import Duplicate, Forbidden, NotForChildren, NotFound
from homeshelf.outbox.model import letter
from homeshelf.outbox.store import can_mail
from homeshelf.sentences import _
from homeshelf.table import Database, Item, Write, absent
from homeshelf.web.attempts import KnownAddress
from homeshelf.web.services import Services

OLD_LINK = _("This link was used already or is too old. Ask for a new one in the settings.")


async def ask_for_address(
    db: Database, services: Services, address: str, account: Account, email: str, password: str
) -> None:
    """A link goes to another address of somebody who shows that they know the password."""
    if not can_mail(services.settings):
        raise NotFound
    if account.is_child:
        raise NotForChildren
    if account.password_hash is None:
        raise Forbidden(_("Your identity provider has your address."))
    await signing_in.confirm(services, address, account, password, "currentPassword")
    if held := await db.get(EmailClaim.key(email_digest=digest_of_email(email))):
        own = held.holder == account.member_id
        raise Duplicate(detail=_("This is your address already.") if own else TAKEN)
    services.limits.letters.take(email.lower())
    asked = AddressChange.to(email, account)
    mailed = letter("new_address", memberId=account.member_id, link=asked.link_id)
    await db.transact(*db.besides(None), asked.put(), mailed.put(absent))


async def verify(services: Services, address: str, token: str) -> None:
    """That an address is theirs: its mail reached them. A link does this once."""
    services.limits.links.take(address)
    with signing_in.noting_refusal("verify"):
        says = read_link(services, token)
        if says["to"] == "verify":
            await store.verify_email(services.db, says["sub"], says["address"])
        else:
            await _take(services, address, says["sub"], says["link"])


def read_link(services: Services, token: str) -> Mapping[str, Any]:
    signer = services.signer
    for to in ("verify", "new_address"):
        if says := tokens.read_mailed(signer, token, to):
            return says
    raise NotFound(OLD_LINK)


async def _take(services: Services, address: str, member_id: str, link_id: str) -> None:
    """Claims, account and members change in one transaction, and the old address is told."""
    db, families = services.db, families_of(services)

    async def decide() -> "Outcome[tuple[Account, Account, Sequence[Todo]]]":
        old = await store.account(db, member_id)
        asked = await db.get(AddressChange.key(member_id=member_id))
        if old is None or asked is None or not asked.is_open_to(old, link_id):
            raise NotFound(OLD_LINK)
        new = old.revised(clock.timestamp(), email=asked.email, email_verified=True)
        theirs, more = await families.updating(db, new)
        left = [profile.rest_of_families(new)] if more else []
        return (old, new, left), (
            *replaced(old, new),
            *await _claiming(db, old, new),
            asked.delete(asked.unchanged),
            *theirs,
            *_telling_former(services, old),
            *(each.put() for each in left),
        )

    old, new, left = await carry_out(db, Account.key(member_id=member_id), decide)
    security_log.note("email_changed", member_id=member_id)
    arrival = KnownAddress.now(signing_in.SIGN_IN, new.email.lower(), address)
    await db.transact(*await arrival.noted(db, None))
    await db.clear(signing_in.signed_in_from(digest_of_email(old.email)))
    for each in left:
        await finish_soon(db, each, partial(profile.finish_renaming, families))


async def _claiming(db: Database, old: Account, new: Account) -> Sequence[Write]:
    async def refuse(_there: Item | None) -> None:
        raise Duplicate(detail=TAKEN)

    before = await db.get(EmailClaim.key(email_digest=digest_of_email(old.email)))
    released = [before.release()] if before and before.holder == old.member_id else []
    claim = EmailClaim(email_digest=digest_of_email(new.email), holder=new.member_id)
    return [claim.take().refusing(refuse), *released]


def _telling_former(services: Services, old: Account) -> Sequence[Write]:
    """Not where nobody ever said that it was theirs: it may be a stranger's."""
    if not (old.email_verified and can_mail(services.settings)):
        return []
    told = letter("address_changed", memberId=old.member_id)
    former = FormerAddress(
        member_id=old.member_id, letter_id=told.letter_id, email=old.email, ttl=told.ttl
    )
    return [former.put(absent), told.put(absent)]
