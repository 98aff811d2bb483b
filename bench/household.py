"""A family with one signed-in member, created as records without a server."""

from dataclasses import dataclass, field

from homeshelf import clock
from homeshelf.accounts.model import SESSION_SECONDS, Account, Session
from homeshelf.families.model import Family, Member
from homeshelf.signing import Signer
from homeshelf.table import Record
from tests.processes import SECRET

TOKEN_SECONDS = 900


@dataclass(frozen=True)
class Household:
    family_id: str = field(default_factory=clock.new_id)
    member_id: str = field(default_factory=clock.new_id)
    session_id: str = field(default_factory=clock.ordered_id)

    @property
    def authorization(self) -> str:
        claims = {"sub": self.member_id, "sid": self.session_id}
        return f"Bearer {Signer(SECRET.encode()).token('access', TOKEN_SECONDS, **claims)}"

    def records(self) -> list[Record]:
        at = clock.timestamp()
        email = f"{self.member_id}@home.local"
        return [
            Account(
                member_id=self.member_id,
                name="Ada",
                email=email,
                origin="password",
                families=(self.family_id,),
                created_at=at,
                updated_at=at,
            ),
            Session(
                session_id=self.session_id,
                member_id=self.member_id,
                device="a bench",
                created_at=at,
                last_used_at=at,
                ttl=clock.seconds() + SESSION_SECONDS,
            ),
            Family(
                family_id=self.family_id,
                name="Ours",
                created_by=self.member_id,
                created_at=at,
                updated_at=at,
            ),
            Member(
                member_id=self.member_id,
                family_id=self.family_id,
                name="Ada",
                email=email,
                role="admin",
                created_at=at,
                updated_at=at,
            ),
        ]
