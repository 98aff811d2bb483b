from collections.abc import Sequence

from homeshelf.coordination.adopting import Adoption, Found, plan_claims
from homeshelf.coordination.belongings import Arrival
from homeshelf.places.model import Place, PlaceName, StorageLocation, Store, name_claim
from homeshelf.table import Database, Record


async def move_in(_db: Database, arrival: Arrival) -> Sequence[Record]:
    places = [*arrival.of(StorageLocation), *arrival.of(Store)]
    return [*places, *(name_claim(place) for place in places)]


async def adopt(db: Database, found: Found) -> Adoption:
    """Claim the name of each place; of two with one name, both stay."""
    places: list[Place] = [*found.of(StorageLocation), *found.of(Store)]
    places.sort(key=lambda place: (place.created_at, place.place_id))

    def taken(name: PlaceName) -> str:
        what = "stores" if name.kind == Store.kind_name else "places"
        return (
            f"Family {name.family_id} has two {what} with the name {name.name_key}: both stay, and "
            f"{name.holder} is free to get another name."
        )

    return await plan_claims(db, "names of places and stores", map(name_claim, places), taken)
