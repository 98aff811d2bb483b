"""The field types and request bodies of places, with their limits and messages."""

from typing import Annotated

from fastapi import Path

from homeshelf.sentences import _
from homeshelf.web.body import NOT_SENT, Body, NewBody, Version, text
from homeshelf.web.ids import WELL_FORMED

LocationName = Annotated[
    str, text(1, 50, _("Name must be 1-50 characters"), _("Enter a name of up to 50 characters."))
]
StoreName = Annotated[
    str,
    text(1, 100, _("Name must be 1-100 characters"), _("Enter a name of up to 100 characters.")),
]
Description = Annotated[
    str,
    text(
        0,
        200,
        _("Description must be 200 characters or less"),
        _("Use at most 200 characters."),
        kind="any",
    ),
]
Address = Annotated[
    str, text(0, 200, _("Address must be 200 characters or less"), _("Use at most 200 characters."))
]
LocationId = Annotated[str, Path(alias="locationId"), WELL_FORMED]
StoreId = Annotated[str, Path(alias="storeId"), WELL_FORMED]


class NewLocation(NewBody):
    name: LocationName
    description: Description | None = None


class LocationChange(Body):
    name: LocationName = NOT_SENT
    description: Description | None = None
    version: Version


class LocationForm(NewLocation):
    version: Version


class NewStore(NewBody):
    name: StoreName
    address: Address | None = None


class StoreChange(Body):
    name: StoreName = NOT_SENT
    address: Address | None = None
    version: Version


class StoreForm(NewStore):
    version: Version
