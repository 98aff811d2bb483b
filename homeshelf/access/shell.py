"""What stands around the page of somebody who is signed in."""

from fastapi import Request

from homeshelf.access import InFamily, SignedIn, in_family
from homeshelf.errors import HomeshelfError
from homeshelf.families import store as families
from homeshelf.families.counts import counts
from homeshelf.web.pages import Shell
from homeshelf.web.services import Services
from homeshelf.web.wording import COUNTED


async def shell_of(services: Services, caller: SignedIn) -> Shell:
    if not isinstance(caller, InFamily):
        return Shell(caller.account)
    family = await families.family(services.db, caller.family_id)
    return Shell(
        account=caller.account,
        family_name=family.name if family else None,
        family_id=caller.family_id,
        role=caller.role,
        counts=await counts(services.db, caller.family_id, COUNTED),
        lags=not services.db.engine.reads_at_once,
    )


async def shell_for(request: Request, services: Services, person: SignedIn) -> Shell:
    """Around a page that is about the person: with the family they are in, if they are in one."""
    try:
        return await shell_of(services, await in_family(request))
    except HomeshelfError:
        return await shell_of(services, person)
