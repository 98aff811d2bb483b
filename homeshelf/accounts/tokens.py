"""Signed tokens of sessions, and of links that are sent by mail."""

from collections.abc import Mapping
from typing import Any

from homeshelf.accounts.addresses import AddressChange, PendingAddress
from homeshelf.accounts.model import Account, Session, digest_of_email
from homeshelf.signing import Signer
from homeshelf.web.ids import is_id

ACCESS_SECONDS = 15 * 60
VERIFICATION_SECONDS = 24 * 3600
RESET_SECONDS = 3600
SHOWN_RESET_SECONDS = 24 * 3600


def token_pair(signer: Signer, session: Session, family_id: str | None) -> dict[str, str | int]:
    claims = _session_claims(session, family_id)
    return {
        "accessToken": signer.token("access", ACCESS_SECONDS, **claims),
        "tokenType": "Bearer",
        "expiresIn": ACCESS_SECONDS,
        "refreshToken": signer.token("refresh", session.seconds_left, **claims, turn=session.turn),
    }


def web_token(signer: Signer, session: Session, family_id: str | None) -> str:
    return signer.token("web", session.seconds_left, **_session_claims(session, family_id))


def _session_claims(session: Session, family_id: str | None) -> dict[str, str | None]:
    chosen = session.family_id or family_id
    return {"sub": session.member_id, "sid": session.session_id, "fam": chosen}


def read_refresh_token(signer: Signer, token: str) -> tuple[str, str, int, str | None] | None:
    """Return the member, session, token number and chosen family."""
    claims = signer.read("refresh", token)
    return (claims["sub"], claims["sid"], claims["turn"], claims.get("fam")) if claims else None


def verification_token(signer: Signer, account: Account) -> str:
    """Make a token that is valid until the address is changed or verified."""
    address = digest_of_email(account.email)
    return signer.token(
        "mail", VERIFICATION_SECONDS, to="verify", sub=account.member_id, address=address
    )


def reset_token(signer: Signer, account: Account, *, shown: bool = False) -> str:
    """Make a token that is valid until the password changes. A `shown` one verifies no address."""
    seconds = SHOWN_RESET_SECONDS if shown else RESET_SECONDS
    address, era, sub = digest_of_email(account.email), account.era, account.member_id
    return signer.token(
        "mail", seconds, to="reset", sub=sub, era=era, address=address, shown=shown or None
    )


def can_reset(claims: Mapping[str, Any], account: Account) -> bool:
    address = digest_of_email(account.email)
    return (claims["era"], claims.get("address", address)) == (account.era, address)


def new_address_token(signer: Signer, change: AddressChange) -> str:
    return signer.token(
        "mail", VERIFICATION_SECONDS, to="new_address", sub=change.member_id, link=change.link_id
    )


def address_token(signer: Signer, pending: PendingAddress, *, mailed: bool) -> str:
    """Make a token for the last entered address; only a mailed one verifies it."""
    seconds, link, sub = VERIFICATION_SECONDS, pending.link_id, pending.member_id
    return signer.token("mail", seconds, to="address", sub=sub, link=link, mailed=mailed or None)


def read_mailed_token(signer: Signer, token: str, to: str) -> dict[str, Any] | None:
    claims = signer.read("mail", token)
    return claims if claims and claims["to"] == to else None


def unsubscribe_link(signer: Signer, member_id: str) -> str:
    """Return a link without an expiry date, as mail is read late."""
    return f"/unsubscribe/{member_id}.{signer.seal('unsubscribe', member_id.encode())}"


def read_unsubscribe_token(signer: Signer, token: str) -> str | None:
    member_id, _, seal = token.partition(".")
    whole = is_id(member_id) and signer.is_seal(seal, "unsubscribe", member_id.encode())
    return member_id if whole else None
