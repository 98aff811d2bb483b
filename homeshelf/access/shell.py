"""What stands around the page of somebody who is signed in."""

import asyncio

from fastapi import Request

from homeshelf.access.callers import InFamily, SignedIn, in_family
from homeshelf.access.families import families_of
from homeshelf.errors import HomeshelfError
from homeshelf.web.pages import Shell
from homeshelf.web.services import Services
from homeshelf.web.wording import COUNTED


async def shell_of(services: Services, caller: SignedIn) -> Shell:
    tabs = [each.tab for each in services.slices if each.tab]
    if not isinstance(caller, InFamily):
        return Shell(caller.account, tabs=tabs)
    return Shell(
        account=caller.account,
        family_name=await families_of(services).name_of(services.db, caller.family_id),
        family_id=caller.family_id,
        role=caller.role,
        counts=await counts(services, caller.family_id, COUNTED),
        tabs=tabs,
        lags=not services.db.engine.reads_at_once,
    )


async def shell_for(request: Request, services: Services, person: SignedIn) -> Shell:
    """Around a page that is about the person: with the family they are in, if they are in one."""
    try:
        return await shell_of(services, await in_family(request))
    except HomeshelfError:
        return await shell_of(services, person)


async def counts(services: Services, family_id: str, at_most: int | None = None) -> dict[str, int]:
    """How much waits in a family: the numbers beside the places in the bar."""
    asked = {name: query for each in services.slices for name, query in each.counts.items()}
    found = [services.db.count(query(family_id), at_most) for query in asked.values()]
    return dict(zip(asked, await asyncio.gather(*found), strict=True))
