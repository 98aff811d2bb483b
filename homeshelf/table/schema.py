"""The tables and their indexes as data, for creating and checking them."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Index:
    name: str
    partition: str
    sort: str


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A table. Each has one object, compared and hashed by identity for speed."""

    name: str
    partition: str
    sort: str
    indexes: tuple[Index, ...] = ()
    ttl: str | None = None
    numbers: frozenset[str] = field(default_factory=frozenset)

    def index(self, name: str) -> Index:
        return {index.name: index for index in self.indexes}[name]

    @property
    def index_attributes(self) -> tuple[str, ...]:
        return tuple(part for index in self.indexes for part in (index.partition, index.sort))

    @property
    def key_attributes(self) -> tuple[str, ...]:
        return (self.partition, self.sort, *self.index_attributes)


INVENTORY = Table(
    "InventoryManagement",
    "PK",
    "SK",
    indexes=(Index("GSI1", "GSI1PK", "GSI1SK"), Index("GSI2", "GSI2PK", "GSI2SK")),
    ttl="ttl",
)
SHAREABLES = Table("Shareables", "pk", "sk", ttl="ttl")
SHORT_ID_POOL = Table("ShortIdPool", "pk", "sk", numbers=frozenset({"pk"}))
BOOKS = Table("BookTrackerTable", "pk", "sk", indexes=(Index("gsi1", "gsi1pk", "gsi1sk"),))
HELPER = Table("HomeshelfHelper", "PK", "SK", ttl="ttl")

TABLES = (INVENTORY, SHAREABLES, SHORT_ID_POOL, BOOKS, HELPER)
