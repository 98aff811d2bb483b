from homeshelf import clock
from homeshelf.accounts.addresses import KEPT_SECONDS
from homeshelf.accounts.model import Account
from homeshelf.table import HELPER, Keys, Record


class AddressChange(Record):
    """A new address that a person asked for. A newer one replaces it and voids its link."""

    table = HELPER
    keys = Keys(PK="ACCOUNT#{memberId}", SK="ADDRESS_CHANGE")
    lock = "link_id"

    member_id: str
    email: str
    link_id: str
    era: int
    """The account's era: a changed password voids the request."""
    ttl: int

    @classmethod
    def to(cls, email: str, account: Account) -> "AddressChange":
        return cls(
            member_id=account.member_id,
            email=email,
            link_id=clock.new_id(),
            era=account.era,
            ttl=clock.seconds() + KEPT_SECONDS,
        )

    def is_open_to(self, account: Account, link_id: str) -> bool:
        return (self.link_id, self.era) == (link_id, account.era)


class FormerAddress(Record):
    """Where to send one letter, which itself holds no address."""

    table = HELPER
    keys = Keys(PK="ACCOUNT#{memberId}", SK="FORMER_ADDRESS#{letterId}")

    member_id: str
    letter_id: str
    email: str
    ttl: int
