"""Verify e-mail addresses by mailed links: the first address, and later ones."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from homeshelf import clock, security_log
from homeshelf.accounts import profile, signing_in, store, tokens
from homeshelf.accounts.addresses import AddressChange, FormerAddress
from homeshelf.accounts.limits import AccountLimits
from homeshelf.accounts.messages import verification_writes
from homeshelf.accounts.model import Account, EmailClaim, digest_of_email
from homeshelf.coordination.attempts import KnownAddress, known_addresses
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.errors import Duplicate, Forbidden, NotForChildren, NotFound, or_not_found
from homeshelf.outbox.model import letter
from homeshelf.outbox.store import can_mail
from homeshelf.sentences import _
from homeshelf.table import Database, Key, absent
from homeshelf.web.services import Services

OLD_LINK = _("This link has been used or is too old. Ask for a new one in your settings.")


async def send_verification(db: Database, services: Services, account: Account) -> None:
    if not can_mail(services.settings):
        raise NotFound
    if writes := verification_writes(services, account):
        await db.commit(None, writes)


async def request_address_change(
    db: Database, services: Services, address: str, account: Account, email: str, password: str
) -> None:
    if not can_mail(services.settings):
        raise NotFound
    if account.is_child:
        raise NotForChildren
    if account.password_hash is None:
        raise Forbidden(_("Your sign-in provider manages your address."))
    await signing_in.confirm_password(services, address, account, password, "currentPassword")
    if held := await db.get(EmailClaim.key(email_digest=digest_of_email(email))):
        own = held.holder == account.member_id
        raise Duplicate(detail=_("This is already your address.") if own else store.TAKEN)
    services.limits.of(AccountLimits).letters.take(email.lower())
    await _put_address_change(db, AddressChange.create(email, account))


@transaction
async def _put_address_change(tx: Transaction, change: AddressChange) -> None:
    tx.write(change.put())
    tx.write(letter("new_address", memberId=change.member_id, link=change.link_id).put(absent))


async def verify(services: Services, address: str, token: str) -> None:
    services.limits.of(AccountLimits).links.take(address)
    with signing_in.log_link_refusal("verify"):
        claims = read_link(services, token)
        if claims["to"] == "verify":
            key = Account.key(member_id=claims["sub"])
            await store.verify_email(services.db, key, claims["address"])
        else:
            await _confirm_address(services, address, claims["sub"], claims["link"])


def read_link(services: Services, token: str) -> Mapping[str, Any]:
    signer = services.signer
    for to in ("verify", "new_address"):
        if claims := tokens.read_mailed_token(signer, token, to):
            return claims
    raise NotFound(OLD_LINK)


async def _confirm_address(services: Services, address: str, member_id: str, link_id: str) -> None:
    db, key = services.db, Account.key(member_id=member_id)
    old, new = await _change_address(db, key, services, link_id)
    arrival = KnownAddress.now(signing_in.SIGN_IN, new.email.lower(), address)
    await db.transact(*await arrival.success_writes(db, None))
    await db.clear(known_addresses(signing_in.SIGN_IN, digest_of_email(old.email)))


@transaction
async def _change_address(
    tx: Transaction, key: Key[Account], services: Services, link_id: str
) -> tuple[Account, Account]:
    """Change the address; return the account before and after."""
    old = or_not_found(await tx.db.get(key), OLD_LINK)
    change = await tx.db.get(AddressChange.key(member_id=old.member_id))
    if change is None or not change.is_open_to(old, link_id):
        raise NotFound(OLD_LINK)
    new = old.revised(clock.timestamp(), email=change.email, email_verified=True)
    tx.replace(old, new)
    tx.write(change.delete(change.unchanged), store.claim_address(new))
    before = await tx.db.get(EmailClaim.key(email_digest=digest_of_email(old.email)))
    if before and before.holder == old.member_id:
        tx.write(before.release())
    await profile.update_members(tx, services, new)
    _notify_former_address(tx, old)
    tx.after_commit(partial(security_log.note, "email_changed", member_id=old.member_id))
    return old, new


def _notify_former_address(tx: Transaction, old: Account) -> None:
    """Notify only a verified address: any other may be a stranger's."""
    if old.email_verified and can_mail(tx.db.settings):
        new_letter = letter("address_changed", memberId=old.member_id)
        former = FormerAddress(
            member_id=old.member_id,
            letter_id=new_letter.letter_id,
            email=old.email,
            ttl=new_letter.ttl,
        )
        tx.write(former.put(absent), new_letter.put(absent))
