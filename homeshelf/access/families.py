"""Who is in which family, for those who may not name families: `families` supplies it."""

from collections.abc import Mapping, Sequence
from typing import Any

from homeshelf.coordination.transaction import Transaction
from homeshelf.errors import NotFound
from homeshelf.table import Database, Key
from homeshelf.web.services import Services


class Families:
    """Where nothing supplies it, nobody is in a family and nobody is invited to one."""

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
        """Whether somebody who wants to go there comes from the link of an open invitation."""
        return False

    async def update_members(self, _tx: Transaction, _account: Any) -> bool:
        """Write a person's new name or address; True where `finish_updating` has more to do."""
        return False

    async def finish_updating(self, _db: Database, _account: Any) -> None:
        pass

    async def give_address(self, _tx: Transaction, _pending: Any, _at: str) -> None:
        """Write a child's own address; NotFound if the person who entered it may no longer."""
        raise NotFound

    async def leave(self, _tx: Transaction, _account: Any, _at: str) -> Mapping[str, Any]:
        """Leave all families with an account that ends; returns what `left` must know."""
        return {"families": [], "terms": {}}

    async def left(self, _services: Services, _about: Mapping[str, Any]) -> None:
        """After the account is gone: done again where it was not finished."""


def families_of(services: Services) -> Families:
    return next(iter(services.all(Families)), _NOBODYS)


_NOBODYS = Families()
