"""The table layer: records stored and queried the same way on every engine."""

from homeshelf.table.database import Database, PartitionKey, open_database
from homeshelf.table.engine import (
    BadRequest,
    CannotOpen,
    ConditionFailed,
    Engine,
    ItemTooLarge,
    OlderLayout,
    TableError,
    TransactionCancelled,
    Unavailable,
    Unreadable,
)
from homeshelf.table.expressions import Add, Condition, Item, Remove, Set, absent, attr, exists
from homeshelf.table.operations import (
    Check,
    Delete,
    Key,
    Page,
    Put,
    PutInOrder,
    Query,
    Refusal,
    Update,
    Write,
    key_in,
)
from homeshelf.table.record import InKey, Keys, Record, Sparse, SparseList, Versioned
from homeshelf.table.schema import (
    BOOKS,
    HELPER,
    INVENTORY,
    SHAREABLES,
    SHORT_ID_POOL,
    TABLES,
    Table,
)
from homeshelf.table.shapes import as_json, as_shown
