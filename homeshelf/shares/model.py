from homeshelf.table import SHAREABLES, SHORT_ID_POOL, InKey, Keys, Optional, Record

BUCKETS = 1000
SLOTS = 99


class PoolSlot(Record):
    """A short id that is free; its place in the pool is its key and nothing else."""

    table = SHORT_ID_POOL
    keys = Keys(pk="{bucket}", sk="available#{slot:02}")

    bucket: InKey[int]
    slot: InKey[int]
    id: str


class Shareable(Record):
    table = SHAREABLES
    keys = Keys(pk="shareable#{shortId:bare}", sk="01#")

    entity: str
    short_id: str
    name: str
    note: Optional[str] = None
    view_passcode: Optional[str] = None
    """Its hash; likewise the admin's."""
    admin_passcode: Optional[str] = None
    expires_at: str
    version: int = 1
    ttl: Optional[int] = None


class ChecklistItem(Record):
    table = SHAREABLES
    keys = Keys(pk="checklist_item#{shortId:bare}", sk="01#{checklistItemId:bare}#")

    short_id: str
    checklist_item_id: str
    order: int
    name: str
    note: Optional[str] = None
    checked: Optional[bool] = None
    checked_at: Optional[str] = None
    checked_by: Optional[str] = None
    ttl: Optional[int] = None
