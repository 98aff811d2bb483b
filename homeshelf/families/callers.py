"""Who is asking, with their membership and the records of their account."""

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request

from homeshelf import access
from homeshelf.access import InFamily
from homeshelf.accounts.callers import AccountHolder
from homeshelf.families.model import Member as Membership


@dataclass(frozen=True)
class FamilyMember(AccountHolder, InFamily):
    membership: Membership


Member = Annotated[FamilyMember, Depends(access.in_family)]
Admin = Annotated[FamilyMember, Depends(access.as_admin)]
Suggester = Annotated[FamilyMember, Depends(access.as_suggester)]


async def in_family(request: Request) -> FamilyMember:
    """For a handler that answers those who are in none as well."""
    return cast(FamilyMember, await access.in_family(request))
