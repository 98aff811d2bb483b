from collections.abc import Sequence

from homeshelf.places.model import StorageLocation, Store, name_of
from homeshelf.table import Database, Record
from homeshelf.web.belongings import Arrival


async def move_in(_db: Database, arrival: Arrival) -> Sequence[Record]:
    """With their names, of which each place has one for itself."""
    places = [*arrival.of(StorageLocation), *arrival.of(Store)]
    return [*places, *(name_of(place) for place in places)]
