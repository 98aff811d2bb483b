import pytest

from homeshelf.access import InFamily
from homeshelf.accounts.model import Session
from homeshelf.families import store
from homeshelf.inventory.model import InventoryItem
from homeshelf.table import Database, Update
from homeshelf.taps.item_observer import TagItemObserver
from homeshelf.taps.model import NFCUrl
from homeshelf.web.idempotency import IdempotentRequest
from tests.api_client import Shown
from tests.home import Home
from tests.records import make_record
from tests.running import Person


@pytest.mark.parametrize(("number", "renamed"), [(25, 25), (26, 0)])
async def test_at_most_25_tags_are_renamed_in_item_transaction(
    database: Database, number: int, renamed: int
) -> None:
    item = make_record(InventoryItem, family_id="f1", item_id="i1", name="Oats")
    tags = [
        make_record(NFCUrl, family_id="f1", item_id="i1", url_id=f"{each:022}", item_name="Rice")
        for each in range(number)
    ]
    await database.batch([tag.put() for tag in tags])
    writes = await TagItemObserver().writes_on_rename(database, item)
    assert sum(isinstance(write, Update) for write in writes) == renamed
    assert len(writes) == renamed + 1, "and one change for all of them, or one to-do"


async def test_only_admins_get_tag_addresses(
    home: Home, kid: Person, towels: Shown, tag: Shown
) -> None:
    async def listed_tags(person: Person) -> list[str]:
        db = home.running.db
        membership = await store.get_member(db, home.family_id, person.member_id)
        assert membership is not None
        request = IdempotentRequest(person.member_id, None, "GET", "/stock", b"")
        member = InFamily(person.account, make_record(Session), request, membership)
        beside = await TagItemObserver().page_variables(db, member, towels["itemId"])
        return [used.tag.url_id for used in beside.get("tags", ())]

    assert await listed_tags(home.admin) == [tag["urlId"]]
    assert await listed_tags(kid) == []
