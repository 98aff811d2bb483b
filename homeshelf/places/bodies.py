from homeshelf.places.fields import Address, Description, LocationName, StoreName
from homeshelf.web.body import NOT_SENT, Body, NewBody, Version


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
