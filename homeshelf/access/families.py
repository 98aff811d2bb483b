"""Families and their members, for modules below `families`, which supplies it."""

from collections.abc import Mapping, Sequence
from typing import Any

from homeshelf.coordination.transaction import Transaction
from homeshelf.errors import NotFound
from homeshelf.table import Database, Key
from homeshelf.web.services import Services


class Families:
    """Families without members or invitations, unless a slice supplies others."""

    def membership_keys(self, _member_id: str, _family_id: str) -> Sequence[Key[Any]]:
        return ()

    async def name_of(self, _db: Database, _family_id: str) -> str | None:
        return None

    async def homes_of(
        self, _db: Database, _account: Any, _session: Any
    ) -> Sequence[Mapping[str, str]]:
        return ()

    async def is_invited(self, _db: Database, _email: str) -> bool:
        return False

    async def holds_invitation(self, _db: Database, _path: str) -> bool:
        """Tell whether a path is the link of an open invitation."""
        return False

    async def update_members(self, _tx: Transaction, _account: Any) -> bool:
        """Write a person's new name or address; return True if `finish_updating` has more to do."""
        return False

    async def finish_updating(self, _db: Database, _account: Any) -> None:
        pass

    async def give_address(self, _tx: Transaction, _pending: Any, _at: str) -> None:
        """Write a child's own address; raise NotFound if its author may no longer."""
        raise NotFound

    async def leave(self, _tx: Transaction, _account: Any, _at: str) -> Mapping[str, Any]:
        """Leave all families with an account that ends; return what `left` must know."""
        return {"families": [], "terms": {}}

    async def left(self, _services: Services, _about: Mapping[str, Any]) -> None:
        """Clean up after the account is deleted; repeated until it succeeds."""


def families_of(services: Services) -> Families:
    return next(iter(services.all(Families)), _NOBODYS)


_NOBODYS = Families()
