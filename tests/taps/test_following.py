import pytest

from homeshelf.inventory.model import InventoryItem
from homeshelf.table import Database, Update
from homeshelf.taps.following import TagsFollowItem
from homeshelf.taps.model import NFCUrl
from tests.made import made


@pytest.mark.parametrize(("number", "renamed"), [(25, 25), (26, 0)])
async def test_at_most_twenty_five_are_renamed_with_their_item(
    database: Database, number: int, renamed: int
) -> None:
    item = made(InventoryItem, family_id="f1", item_id="i1", name="Oats")
    tags = [
        made(NFCUrl, family_id="f1", item_id="i1", url_id=f"{each:022}", item_name="Rice")
        for each in range(number)
    ]
    await database.batch([tag.put() for tag in tags])
    writes = await TagsFollowItem().renaming(database, item)
    assert sum(isinstance(write, Update) for write in writes) == renamed
    assert len(writes) == renamed + 1, "and one change for all of them, or one to-do"
