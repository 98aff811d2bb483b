"""The interface for families and members, which the slice `families` implements."""

from collections.abc import Mapping, Sequence
from typing import Any

from homeshelf.coordination.transaction import Transaction
from homeshelf.errors import NotFound
from homeshelf.table import Database, Key
from homeshelf.web.services import Services


class Families:
    """The default: no family has members or invitations."""

    def membership_keys(self, _member_id: str, _family_id: str) -> Sequence[Key[Any]]:
        return ()

    async def name_of(self, _db: Database, _family_id: str) -> str | None:
        return None

    async def list_families(
        self, _db: Database, _account: Any, _session: Any
    ) -> Sequence[Mapping[str, str]]:
        return ()

    async def is_invited(self, _db: Database, _email: str) -> bool:
        return False

    async def holds_invitation(self, _db: Database, _path: str) -> bool:
        """Return whether a path is the link of an open invitation."""
        return False

    async def update_members(self, _tx: Transaction, _account: Any) -> bool:
        """Write a person's new name or address; return True if `finish_updating` has more to do."""
        return False

    async def finish_updating(self, _db: Database, _account: Any) -> None:
        pass

    async def give_address(self, _tx: Transaction, _pending: Any, _at: str) -> None:
        """Write a child's own address, or raise NotFound if the member who set it no longer may."""
        raise NotFound

    async def leave(self, _tx: Transaction, _account: Any, _at: str) -> Mapping[str, Any]:
        """Remove a deleted account from all families, and return the data for `left`."""
        return {"families": [], "terms": {}}

    async def finish_leaving(self, _services: Services, _about: Mapping[str, Any]) -> None:
        """Clean up after a deleted account; repeated until it succeeds."""


def families_of(services: Services) -> Families:
    return next(iter(services.all(Families)), _NO_FAMILIES)


_NO_FAMILIES = Families()
