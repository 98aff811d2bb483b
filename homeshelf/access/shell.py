"""What stands around the page of somebody who is signed in."""

import asyncio
from collections.abc import Mapping

from fastapi import Request

from homeshelf.access.callers import InFamily, SignedIn, in_family
from homeshelf.access.families import families_of
from homeshelf.errors import HomeshelfError
from homeshelf.web.pages import Shell
from homeshelf.web.services import Services
from homeshelf.web.wording import COUNTED


async def shell_for(
    request: Request, who: SignedIn | None, known: Mapping[str, int] | None = None
) -> Shell:
    """Around a page that is about the person too: with the family they are in, if they are in one.

    `known` are numbers of what waits that nobody has to count.
    """
    if who is None:
        return Shell()
    services: Services = request.app.state.services
    tabs = [each.tab for each in services.slices if each.tab]
    if not isinstance(who, InFamily):
        try:
            who = await in_family(request)
        except HomeshelfError:
            return Shell(who.account, tabs=tabs)
    return Shell(
        account=who.account,
        family_name=await families_of(services).name_of(services.db, who.family_id),
        family_id=who.family_id,
        role=who.role,
        counts=await counts(services, who.family_id, COUNTED, known),
        tabs=tabs,
        lags=not services.db.engine.reads_at_once,
    )


async def counts(
    services: Services,
    family_id: str,
    at_most: int | None = None,
    known: Mapping[str, int] | None = None,
) -> dict[str, int]:
    """How much waits in a family: the numbers beside the places in the bar."""
    known = known or {}
    asked = {
        name: query
        for each in services.slices
        for name, query in each.counts.items()
        if name not in known
    }
    found = [services.db.count(query(family_id), at_most) for query in asked.values()]
    return dict(zip(asked, await asyncio.gather(*found), strict=True)) | {**known}
