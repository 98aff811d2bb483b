from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Literal
from uuid import NAMESPACE_URL, uuid5

from pydantic import Field

from homeshelf import clock
from homeshelf.config import Settings
from homeshelf.coordination.claims import Claim
from homeshelf.signing import digest
from homeshelf.table import HELPER, Condition, Item, Key, Keys, Record, Sparse, Versioned, attr
from homeshelf.table.deadlines import is_in_the_future
from homeshelf.web.ids import is_id

Theme = Literal["auto", "light", "dark"]
MailPreference = Literal["off", "now", "daily"]
Origin = Literal["password", "provider", "child"]

SESSION_SECONDS = 60 * 24 * 3600
REUSE_GRACE_SECONDS = 30
NO_SESSION = "none"
"""The session id of a caller with a provider's token, which is not stored."""


class Account(Versioned):
    """A person's account. It lists the person's families, because an index of them would lag."""

    table = HELPER
    keys = Keys(PK="ACCOUNT#{memberId}", SK="ACCOUNT")

    member_id: str
    email: str
    email_verified: bool = False
    name: str
    password_hash: Annotated[Sparse[str], Field(repr=False)] = None
    """The argon2id hash; None for a child, and if an identity provider signs the person in."""
    origin: Sparse[Origin] = None
    """The way in which the account was created; None in older records."""
    issuer: Sparse[str] = None
    """The identity provider that signs the person in; an `IdentityClaim` belongs to it."""
    subject: Sparse[str] = None
    era: int = 1
    """Counts how often all sessions ended at once."""
    disabled_at: Sparse[str] = None
    families: tuple[str, ...] = ()
    theme: Theme = "auto"
    time_zone: str = "UTC"
    mail: MailPreference = "now"
    language: str = "auto"
    """The code of a language, or `auto` for what the browser asks for."""
    came_with: Sparse[str] = None
    """The language that the browser asked for at sign-in, for letters."""

    @property
    def email_or_name(self) -> str:
        return self.email or self.name

    @property
    def is_child(self) -> bool:
        """Return whether only links from the family sign the person in."""
        return self.origin == "child"

    @property
    def predates_claims(self) -> bool:
        """Return whether a provider made the account before accounts stored its `sub`."""
        return self.password_hash is None and self.origin is None

    @property
    def needs_provider(self) -> bool:
        return self.password_hash is None and self.origin in (None, "provider")

    def is_linked_to(self, issuer: str, subject: str) -> bool:
        return (self.issuer, self.subject) == (issuer, subject)

    def with_identity(self, issuer: str, subject: str, at: str) -> "Account":
        """Link the account to a provider's `sub`, and end the sessions of a former one."""
        origin = None if self.is_child else self.origin
        origin = origin or ("provider" if self.password_hash is None else "password")
        era = self.era if self.subject is None and not self.is_child else self.era + 1
        return self.revised(at, origin=origin, issuer=issuer, subject=subject, era=era)

    @property
    def awaits_verification(self) -> bool:
        return bool(self.email) and not self.email_verified

    @property
    def is_disabled(self) -> bool:
        return self.disabled_at is not None

    def disable(self, at: str) -> "Account":
        return self if self.is_disabled else self.end_sessions(at).changed(disabled_at=at)

    def enable(self, at: str) -> "Account":
        return self.revised(at, disabled_at=None) if self.is_disabled else self

    def end_sessions(self, at: str) -> "Account":
        """End all sessions and void all mailed links."""
        return self.revised(at, era=self.era + 1)

    def with_password(self, password_hash: str) -> "Account":
        return self.changed(password_hash=password_hash, era=self.era + 1)

    def with_sign_in(self, email: str, password_hash: str, at: str, *, verified: bool) -> "Account":
        own = self.revised(at, email=email, email_verified=verified, origin="password")
        return own.with_password(password_hash)


class Departure(Record):
    """The departure of a person, which voids older tokens of an identity provider."""

    table = HELPER
    keys = Keys(PK="ACCOUNT#{memberId}", SK="LEFT")

    member_id: str
    left_at: int
    ttl: int


@dataclass(frozen=True)
class NewPassword:
    """The hash of a new password, and the hash that it replaces."""

    password_hash: str = field(repr=False)
    known: str | None = field(repr=False)


class EmailClaim(Claim):
    """The claim that makes an address unique among accounts, whatever its case."""

    keys = Keys(PK="EMAIL#{emailDigest}", SK="EMAIL")
    email_digest: str


class IdentityClaim(Claim):
    """The claim that makes a provider's `sub` unique among accounts."""

    keys = Keys(PK="IDENTITY#{identityDigest}", SK="IDENTITY")
    identity_digest: str

    @classmethod
    def of(cls, issuer: str, subject: str, holder: str) -> "IdentityClaim":
        """Digest issuer and `sub`, as a `sub` is unique only within its issuer."""
        return cls(identity_digest=digest(f"{issuer} {subject}"), holder=holder)

    @classmethod
    def key_of(cls, issuer: str, subject: str) -> Key["IdentityClaim"]:
        return cls.of(issuer, subject, holder="").own_key()


class Session(Record):
    """A signed-in device. Its tokens are valid while it is stored."""

    table = HELPER
    keys = Keys(PK="ACCOUNT#{memberId}", SK="SESSION#{sessionId}")
    lock = "turn"

    session_id: str
    member_id: str
    era: int = 1
    turn: int = 1
    """The number of the next refresh token; each can be used once."""
    turned: tuple[int, ...] = ()
    """The Unix times at which recent refresh tokens were used."""
    device: str
    issuer: Sparse[str] = None
    """The identity provider that signed the person in; None for a password, or an old session."""
    family_id: Sparse[str] = None
    """The only family that a session from a child's link may access."""
    ends_at: Sparse[int] = None
    """The Unix time at which it ends, however often it is used."""
    created_at: str
    last_used_at: str
    ttl: int

    @property
    def unchanged(self) -> Condition:
        return super().unchanged & (attr("era") == self.era)

    @property
    def is_stored(self) -> bool:
        return self.session_id != NO_SESSION

    @property
    def seconds_left(self) -> int:
        if self.ends_at is None:
            return SESSION_SECONDS
        return max(0, min(SESSION_SECONDS, self.ends_at - clock.seconds()))

    def acts_in(self, family_id: str) -> bool:
        return self.family_id in (None, family_id)

    def is_valid_for(self, account: Account) -> bool:
        """Compare only the era; `SessionPolicy` checks the rest."""
        return self.era == account.era

    def mark_used(self, now: datetime) -> "Session":
        """Prolong the session if it was last used on another day."""
        at = clock.timestamp(now)
        if at[:10] <= self.last_used_at[:10] and not self._was_used_in_the_future(at):
            return self
        return self.changed(last_used_at=at, ttl=int(now.timestamp()) + self.seconds_left)

    def _was_used_in_the_future(self, now: str) -> bool:
        """Check whether the clock was ahead at the last use and has been corrected since."""
        at = self.last_used_at
        return at > now and is_in_the_future(datetime.fromisoformat(at).timestamp())

    def next_turn(self, now: datetime) -> "Session":
        seconds = int(now.timestamp())
        recent = (time for time in self.turned if _is_recent(time, seconds))
        return self.changed(
            turn=self.turn + 1,
            turned=(*recent, seconds),
            last_used_at=clock.timestamp(now),
            ttl=seconds + self.seconds_left,
        )

    def was_used_recently(self, turn: int, now: datetime) -> bool:
        """Check whether the client may repeat a token because it lost the response."""
        position = self.turn - turn
        return position <= len(self.turned) and _is_recent(
            self.turned[-position], int(now.timestamp())
        )


def _is_recent(time: int, now: int) -> bool:
    return now - time <= REUSE_GRACE_SECONDS and not is_in_the_future(time)


def digest_of_email(email: str) -> str:
    return digest(email.lower())


def member_id_of(issuer: str, subject: str) -> str:
    """Return the subject if it is a UUID, else a UUID v5 of issuer and subject."""
    if is_id(subject):
        return subject.lower()
    return str(uuid5(uuid5(NAMESPACE_URL, issuer), subject))


@dataclass(frozen=True)
class SessionPolicy:
    """The rules for sessions from a provider: a fixed end, and the issuer of the settings."""

    issuer: str | None
    provider_seconds: int

    @staticmethod
    def from_settings(settings: Settings) -> "SessionPolicy":
        return SessionPolicy(settings.oidc_issuer, settings.oidc_session_days * 24 * 3600)

    def allows(self, session: Session, account: Account) -> bool:
        if account.is_disabled or not session.is_valid_for(account):
            return False
        if not _is_from_provider(session, account):
            return True
        issuer = session.issuer or account.issuer or self.issuer
        return issuer == self.issuer is not None and clock.seconds() < self._end_of(session)

    def open_session_filter(
        self, account: Account, except_for: str | None = None
    ) -> Callable[[Item], bool]:
        def is_open(item: Item) -> bool:
            session = Session.load(item)
            return session.session_id != except_for and self.allows(session, account)

        return is_open

    def limit_lifetime(self, session: Session, account: Account) -> Session:
        if not _is_from_provider(session, account):
            return session
        ends_at = self._end_of(session)
        return session if session.ends_at == ends_at else session.changed(ends_at=ends_at)

    def _end_of(self, session: Session) -> int:
        return int(datetime.fromisoformat(session.created_at).timestamp()) + self.provider_seconds


def _is_from_provider(session: Session, account: Account) -> bool:
    """Count an old session without an issuer as the provider's if there is no password."""
    return session.is_stored and (session.issuer is not None or account.needs_provider)
