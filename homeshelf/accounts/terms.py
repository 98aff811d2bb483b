"""How long a session holds: what it rests on, a password or an identity provider, decides."""

from dataclasses import dataclass
from datetime import datetime

from homeshelf import clock
from homeshelf.accounts.model import Account, Session
from homeshelf.config import Settings


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
        """Whether the session still lets somebody into the account."""
        if not session.holds_for(account):
            return False
        if not _is_vouched_for(session, account):
            return True
        issuer = session.issuer or account.issuer or self.issuer
        if self.issuer is None or issuer != self.issuer:
            return False
        return clock.seconds() < self._end_of(session)

    def bounded(self, session: Session, account: Account) -> Session:
        """The session with the end that it has by these terms."""
        if not _is_vouched_for(session, account):
            return session
        ends_at = self._end_of(session)
        return session if session.ends_at == ends_at else session.changed(ends_at=ends_at)

    def _end_of(self, session: Session) -> int:
        began = datetime.fromisoformat(session.created_at)
        return int(began.timestamp()) + self.provider_seconds


def _is_vouched_for(session: Session, account: Account) -> bool:
    """A session from before they said through whom they were made is its account's only way in."""
    return session.is_kept and (session.issuer is not None or account.needs_provider)
