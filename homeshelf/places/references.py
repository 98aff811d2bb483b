"""What names a place, in whichever slice."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated

from fastapi import Depends, Request

from homeshelf.places.model import Place
from homeshelf.places.store import References
from homeshelf.table import Database
from homeshelf.web.services import Services


async def references_to(services: Services, db: Database, place: Place) -> Mapping[str, int]:
    """How many of what name a place, up to date."""
    found: dict[str, int] = {}
    for each in services.slices:
        found |= await each.names_place(db, place) or {}
    return found


def _references(request: Request) -> References:
    return partial(references_to, request.app.state.services)


ReferencesTo = Annotated[References, Depends(_references)]
