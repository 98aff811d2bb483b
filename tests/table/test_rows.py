"""The embedded engine has the size limit of DynamoDB for records."""

import pytest

from homeshelf.table import INVENTORY
from homeshelf.table.engine import ItemTooLarge
from homeshelf.table.limits import ITEM_BYTES
from homeshelf.table.sqlite.writing import row_of

KEY = {"PK": "P", "SK": "S"}


@pytest.mark.parametrize("letter", ["a", "é", '"', "\x01"])
def test_record_above_the_size_limit_is_refused(letter: str) -> None:
    most = (ITEM_BYTES - len("PKPSKSname")) // len(letter.encode())
    assert row_of(INVENTORY, KEY | {"name": letter * most})
    with pytest.raises(ItemTooLarge):
        row_of(INVENTORY, KEY | {"name": letter * (most + 1)})
