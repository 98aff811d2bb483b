import unicodedata
from typing import Any, ClassVar, Literal, TypeVar

from homeshelf.coordination.claims import Claim
from homeshelf.table import INVENTORY, Condition, Key, Keys, Sparse, Versioned, attr, exists

P = TypeVar("P", bound="Place")


class Place(Versioned):
    """A location or store. It is closed while its references are counted before a deletion."""

    kind_name: ClassVar[str]
    id_field: ClassVar[str]
    is_open_condition: ClassVar[Condition] = exists & attr("closedAt").missing
    """The condition for every transaction that names a place."""
    private = frozenset({"closed_at"})
    notify = "family_id", "place_id"

    family_id: str
    name: str
    closed_at: Sparse[str] = None
    entity_type: str

    @classmethod
    def key_for(cls: type[P], family_id: str, place_id: str) -> Key[P]:
        return cls.key(family_id=family_id, **{cls.id_field: place_id})

    def revised(self: P, at: str, **changes: Any) -> P:
        """Change the place and open it."""
        return super().revised(at, closed_at=None, **changes)

    @property
    def place_id(self) -> str:
        place_id: str = getattr(self, self.id_field)
        return place_id


class StorageLocation(Place):
    table = INVENTORY
    keys = Keys(PK="FAMILY#{familyId}", SK="LOCATION#{locationId}")
    kind_name, id_field = "LOCATION", "location_id"

    location_id: str
    description: Sparse[str] = None
    entity_type: Literal["StorageLocation"] = "StorageLocation"


class Store(Place):
    table = INVENTORY
    keys = Keys(PK="FAMILY#{familyId}", SK="STORE#{storeId}")
    kind_name, id_field = "STORE", "store_id"

    store_id: str
    address: Sparse[str] = None
    entity_type: Literal["Store"] = "Store"


class PlaceName(Claim):
    """The claim that makes a location's or store's name unique in a family."""

    keys = Keys(PK="CLAIMS#{familyId}", SK="NAME#{kind}#{nameKey:rest}")
    family_id: str
    kind: str
    name_key: str


def name_claim(place: Place) -> PlaceName:
    return PlaceName(
        family_id=place.family_id,
        kind=place.kind_name,
        name_key=name_key(place.name),
        holder=place.place_id,
    )


def name_key(name: str) -> str:
    """Return the name without differences in case and spaces."""
    return " ".join(unicodedata.normalize("NFC", name.casefold()).split())
