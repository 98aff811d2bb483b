from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from homeshelf.accounts.model import IdentityClaim, member_id_of
from homeshelf.controls import without_control_characters
from homeshelf.table import Key
from homeshelf.web.body import Email, NewAddress, is_visible

NAME_LENGTH = 100
SUBJECT_LENGTH = 255
_EMAIL: TypeAdapter[str] = TypeAdapter(Email)
_NEW_ADDRESS: TypeAdapter[str] = TypeAdapter(NewAddress)


@dataclass(frozen=True)
class Claims:
    issuer: str
    subject: str
    issued_at: int
    expires_at: int
    email: str = ""
    """Empty if the provider does not send it."""
    email_verified: bool = False
    name: str = ""

    @property
    def member_id(self) -> str:
        """Return the id for a new account; an admin may have linked another account."""
        return member_id_of(self.issuer, self.subject)

    @property
    def claim_key(self) -> Key[IdentityClaim]:
        return IdentityClaim.key_of(self.issuer, self.subject)

    def with_user_info(self, user_info: Mapping[str, Any]) -> "Claims":
        """Add the fields of the user info endpoint, if it describes the same `sub`."""
        if user_info.get("sub") != self.subject:
            return self
        return replace(self, **_profile_fields(user_info))

    @property
    def new_email(self) -> str:
        """Return the address for a new account, or nothing if it imitates another one."""
        return _address(self.email, _NEW_ADDRESS)

    @property
    def display_name(self) -> str:
        return self.name or self.email.partition("@")[0] or "Somebody"


def parse_claims(issuer: str, claims: Mapping[str, Any]) -> Claims:
    issued = claims.get("iat")
    return Claims(
        issuer=issuer,
        subject=claims["sub"],
        issued_at=int(issued) if isinstance(issued, int | float) else 0,
        expires_at=int(claims["exp"]),
        **_profile_fields(claims),
    )


def _profile_fields(claims: Mapping[str, Any]) -> dict[str, Any]:
    email = _address(claims.get("email"))
    verified = claims.get("email_verified")
    proven = verified is True or verified == "true"  # Cognito sends a string
    return {"email": email, "email_verified": bool(email) and proven, "name": _name(claims)}


def _address(text: Any, rule: TypeAdapter[str] = _EMAIL) -> str:
    try:
        return rule.validate_python(text)
    except ValidationError:
        return ""


def _name(claims: Mapping[str, Any]) -> str:
    found = (claims.get(each) for each in ("name", "given_name", "preferred_username", "nickname"))
    shown = (without_control_characters(name) for name in found if isinstance(name, str))
    names = (name.strip()[:NAME_LENGTH].strip() for name in shown)
    return next(filter(is_visible, names), "")
