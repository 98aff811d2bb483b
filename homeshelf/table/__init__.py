"""The single table: records in, records out, the same on every engine."""

from homeshelf.table.database import Database
from homeshelf.table.engine import (
    BadRequest,
    CannotOpen,
    ConditionFailed,
    Engine,
    ItemTooLarge,
    TableError,
    TransactionCancelled,
    Unavailable,
    Unreadable,
)
from homeshelf.table.expressions import Add, Condition, Remove, Set, absent, attr, exists
from homeshelf.table.operations import Check, Key, Page, Query, Update, Write
from homeshelf.table.record import InKey, Keys, Record, Sparse, Versioned
from homeshelf.table.schema import BOOKS, HELPER, INVENTORY, SHAREABLES, SHORT_ID_POOL, TABLES

__all__ = [
    "BOOKS",
    "HELPER",
    "INVENTORY",
    "SHAREABLES",
    "SHORT_ID_POOL",
    "TABLES",
    "Add",
    "BadRequest",
    "CannotOpen",
    "Check",
    "Condition",
    "ConditionFailed",
    "Database",
    "Engine",
    "InKey",
    "ItemTooLarge",
    "Key",
    "Keys",
    "Page",
    "Query",
    "Record",
    "Remove",
    "Set",
    "Sparse",
    "TableError",
    "TransactionCancelled",
    "Unavailable",
    "Unreadable",
    "Update",
    "Versioned",
    "Write",
    "absent",
    "attr",
    "exists",
]
