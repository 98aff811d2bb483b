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
MailWish = Literal["off", "now", "daily"]
Origin = Literal["password", "provider", "child"]

SESSION_SECONDS = 60 * 24 * 3600
REUSE_GRACE_SECONDS = 30
NO_SESSION = "none"
"""The session id of who comes with an identity provider's token: nothing is kept under it."""


class Account(Versioned):
    """A person. It also says which families they are in: an index would lag."""

    table = HELPER
    keys = Keys(PK="ACCOUNT#{memberId}", SK="ACCOUNT")

    member_id: str
    email: str
    email_verified: bool = False
    name: str
    password_hash: Annotated[Sparse[str], Field(repr=False)] = None
    """None for somebody whom an identity provider vouches for, and for a child without one."""
    origin: Sparse[Origin] = None
    """Where it comes from; None where it was made before accounts said so."""
    issuer: Sparse[str] = None
    """The identity provider that says who they are; an `IdentityClaim` goes with it."""
    subject: Sparse[str] = None
    """What that provider calls them, its `sub`."""
    era: int = 1
    """Counts the times at which all sessions ended at once, however many there were."""
    disabled_at: Sparse[str] = None
    """Since when nothing lets them in."""
    families: tuple[str, ...] = ()
    theme: Theme = "auto"
    time_zone: str = "UTC"
    mail: MailWish = "now"
    language: str = "auto"
    """One that Homeshelf speaks, or what their browser asks for."""
    came_with: Sparse[str] = None
    """The language that their browser asked for when they came: letters know no browser."""

    @property
    def known_as(self) -> str:
        """Their address; an identity provider may not have told one."""
        return self.email or self.name

    @property
    def is_child(self) -> bool:
        """Whether neither a password nor a provider lets them in: only links of their family do."""
        return self.origin == "child"

    @property
    def predates_claims(self) -> bool:
        """Whether an identity provider made it before accounts kept what it calls people."""
        return self.password_hash is None and self.origin is None

    @property
    def needs_provider(self) -> bool:
        """Whether nothing but an identity provider lets them in."""
        return self.password_hash is None and self.origin in (None, "provider")

    def is_linked_to(self, issuer: str, subject: str) -> bool:
        return (self.issuer, self.subject) == (issuer, subject)

    def linked_to(self, issuer: str, subject: str, at: str) -> "Account":
        """Who the provider calls so is this person from now on; who was before is signed out."""
        origin = None if self.is_child else self.origin
        origin = origin or ("provider" if self.password_hash is None else "password")
        era = self.era if self.subject is None and not self.is_child else self.era + 1
        return self.revised(at, origin=origin, issuer=issuer, subject=subject, era=era)

    @property
    def misses_mail(self) -> bool:
        """Whether they would get mail, had they said that their address is theirs."""
        return bool(self.email) and not self.email_verified

    @property
    def is_disabled(self) -> bool:
        return self.disabled_at is not None

    def disabled(self, at: str) -> "Account":
        """Nothing lets them in any more, and where they are signed in that is over."""
        return self if self.is_disabled else self.signed_out(at).changed(disabled_at=at)

    def enabled(self, at: str) -> "Account":
        return self.revised(at, disabled_at=None) if self.is_disabled else self

    def signed_out(self, at: str) -> "Account":
        """Everywhere; links that were mailed before are dead."""
        return self.revised(at, era=self.era + 1)

    def with_password(self, password_hash: str) -> "Account":
        """All who knew the old one are signed out, and links that were mailed before are dead."""
        return self.changed(password_hash=password_hash, era=self.era + 1)

    def grown_up(self, email: str, password_hash: str, at: str, *, verified: bool) -> "Account":
        """A child with an address and a password of its own: what links began is over."""
        own = self.revised(at, email=email, email_verified=verified, origin="password")
        return own.with_password(password_hash)


class Departure(Record):
    """Somebody left whom an identity provider vouched for: what it issued before is void."""

    table = HELPER
    keys = Keys(PK="ACCOUNT#{memberId}", SK="LEFT")

    member_id: str
    left_at: int
    ttl: int


@dataclass(frozen=True)
class NewPassword:
    """A password's hash, and that of the old one, which the person who changes it knew."""

    password_hash: str = field(repr=False)
    known: str | None = field(repr=False)


class EmailClaim(Claim):
    """One account an address, whatever its case."""

    keys = Keys(PK="EMAIL#{emailDigest}", SK="EMAIL")
    email_digest: str


class IdentityClaim(Claim):
    """One account for the person whom an identity provider calls by one `sub`."""

    keys = Keys(PK="IDENTITY#{identityDigest}", SK="IDENTITY")
    identity_digest: str

    @classmethod
    def of(cls, issuer: str, subject: str, holder: str) -> "IdentityClaim":
        """By both, because a provider's names are its own; no issuer has a space in it."""
        return cls(identity_digest=digest(f"{issuer} {subject}"), holder=holder)

    @classmethod
    def key_of(cls, issuer: str, subject: str) -> Key["IdentityClaim"]:
        return cls.of(issuer, subject, holder="").own_key()


class Session(Record):
    """A device that is signed in. Its tokens hold as long as it is there."""

    table = HELPER
    keys = Keys(PK="ACCOUNT#{memberId}", SK="SESSION#{sessionId}")
    lock = "turn"

    session_id: str
    member_id: str
    era: int = 1
    turn: int = 1
    """Which refresh token is next: each works once."""
    turned: tuple[int, ...] = ()
    """When the last turns were taken, in Unix seconds, as far as that still matters."""
    device: str
    issuer: Sparse[str] = None
    """The identity provider through which it was made; None where that was a password, or before
    sessions said so."""
    family_id: Sparse[str] = None
    """The only family that it acts in, where a child's link made it."""
    ends_at: Sparse[int] = None
    """When it ends however much it is used, in Unix seconds."""
    created_at: str
    last_used_at: str
    ttl: int

    @property
    def unchanged(self) -> Condition:
        return super().unchanged & (attr("era") == self.era)

    @property
    def is_kept(self) -> bool:
        """Not where an identity provider's token is all there is: it ends with that."""
        return self.session_id != NO_SESSION

    @property
    def seconds_left(self) -> int:
        if self.ends_at is None:
            return SESSION_SECONDS
        return max(0, min(SESSION_SECONDS, self.ends_at - clock.seconds()))

    def acts_in(self, family_id: str) -> bool:
        return self.family_id in (None, family_id)

    def holds_for(self, account: Account) -> bool:
        """Whether it is of the account's era; `SessionTerms` knows the rest."""
        return self.era == account.era

    def seen(self, now: datetime) -> "Session":
        """In use on another day than it was: it holds for as long again."""
        at = clock.timestamp(now)
        if at[:10] <= self.last_used_at[:10] and not self._was_used_ahead(at):
            return self
        return self.changed(last_used_at=at, ttl=int(now.timestamp()) + self.seconds_left)

    def _was_used_ahead(self, now: str) -> bool:
        """Whether it was used when the clock was ahead, which has been put right since."""
        at = self.last_used_at
        return at > now and is_in_the_future(datetime.fromisoformat(at).timestamp())

    def taking_turn(self, now: datetime) -> "Session":
        seconds = int(now.timestamp())
        recent = (time for time in self.turned if _was_just_now(time, seconds))
        return self.changed(
            turn=self.turn + 1,
            turned=(*recent, seconds),
            last_used_at=clock.timestamp(now),
            ttl=seconds + self.seconds_left,
        )

    def was_just_taken(self, turn: int, now: datetime) -> bool:
        """Whether a token comes again so soon that its holder may be excused, not a thief."""
        position = self.turn - turn
        return position <= len(self.turned) and _was_just_now(
            self.turned[-position], int(now.timestamp())
        )


def _was_just_now(time: int, now: int) -> bool:
    return now - time <= REUSE_GRACE_SECONDS and not is_in_the_future(time)


def digest_of_email(email: str) -> str:
    """Finds what belongs to an address without the address standing in a key."""
    return digest(email.lower())


def member_id_of(issuer: str, subject: str) -> str:
    """The subject where it is a UUID, else the UUID v5 of the subject in the issuer's own space.

    That space is the UUID v5 of the issuer's address, without a closing slash, among URLs.
    """
    if is_id(subject):
        return subject.lower()
    return str(uuid5(uuid5(NAMESPACE_URL, issuer), subject))


@dataclass(frozen=True)
class SessionTerms:
    """A session that was made through an identity provider ends with that provider's place in the
    settings, and after a time that no use prolongs: the provider may have let the person go."""

    issuer: str | None
    """The identity provider in the settings."""
    provider_seconds: int

    @staticmethod
    def of(settings: Settings) -> "SessionTerms":
        return SessionTerms(settings.oidc_issuer, settings.oidc_session_days * 24 * 3600)

    def admit(self, session: Session, account: Account) -> bool:
        if account.is_disabled or not session.holds_for(account):
            return False
        if not _is_vouched_for(session, account):
            return True
        issuer = session.issuer or account.issuer or self.issuer
        return issuer == self.issuer is not None and clock.seconds() < self._end_of(session)

    def admits(self, account: Account, except_for: str | None = None) -> Callable[[Item], bool]:
        """Of stored sessions, those that are not over; `besides` is one that is left out."""

        def is_open(item: Item) -> bool:
            session = Session.load(item)
            return session.session_id != except_for and self.admit(session, account)

        return is_open

    def bounded(self, session: Session, account: Account) -> Session:
        if not _is_vouched_for(session, account):
            return session
        ends_at = self._end_of(session)
        return session if session.ends_at == ends_at else session.changed(ends_at=ends_at)

    def _end_of(self, session: Session) -> int:
        return int(datetime.fromisoformat(session.created_at).timestamp()) + self.provider_seconds


def _is_vouched_for(session: Session, account: Account) -> bool:
    """A session from before they said through whom they were made is its account's only way in."""
    return session.is_kept and (session.issuer is not None or account.needs_provider)
