from typing import Literal

from homeshelf.table import INVENTORY, Keys, Optional, Record


class NFCUrl(Record):
    """The address on a tag. Whoever holds it may see one item and change its count."""

    table = INVENTORY
    keys = Keys(
        PK="FAMILY#{familyId}",
        SK="ITEM#{itemId}#URL#{urlId}",
        GSI1PK="URL#{urlId}",
        GSI1SK="ITEM#{itemId}",
        GSI2PK="FAMILY#{familyId}#URLS",
        GSI2SK="CREATED#{createdAt}#URL#{urlId}",
    )

    url_id: str
    item_id: str
    family_id: str
    item_name: str
    is_active: bool = True
    label: Optional[str] = None
    created_at: str
    created_by: str
    last_accessed_at: Optional[str] = None
    access_count: int = 0
    rotated_at: Optional[str] = None
    rotated_by: Optional[str] = None
    entity_type: Literal["NFCUrl"] = "NFCUrl"
