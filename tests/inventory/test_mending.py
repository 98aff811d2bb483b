"""`homeshelf doctor` releases barcode claims without an item."""

from homeshelf.inventory import batches
from homeshelf.inventory.barcodes import BarcodeClaim
from homeshelf.inventory.model import new_item
from homeshelf.inventory.orphan_barcodes import release_orphans
from homeshelf.table import Database
from tests.api_client import add_item, make_barcodes, set_archived
from tests.database_hooks import before_first_transaction, with_hook
from tests.home import NOBODYS, Home

RIGHT = ("barcodes", "each is a thing's.")


async def barcode_holders(db: Database, family_id: str) -> dict[str, str]:
    every = await db.all(BarcodeClaim.where(family_id=family_id).up_to_date())
    return {claim.code: claim.holder for claim in every}


async def test_orphaned_barcode_claims_are_released(home: Home) -> None:
    db, (kept, aside, left, odd) = home.running.db, make_barcodes(4)
    item = await add_item(home.admin, barcodes=[kept])
    archived = await add_item(home.admin, barcodes=[aside])
    await set_archived(home.admin, archived, "archive")
    orphan = BarcodeClaim(family_id=home.family_id, code=left, holder=NOBODYS)
    stray = BarcodeClaim(family_id=home.family_id, code=odd, holder=item["itemId"])
    await db.batch([orphan.put(), stray.put()])
    assert await release_orphans(db) == (
        "barcodes",
        "2 no longer belonged to an item and can be used again.",
    )
    assert await barcode_holders(db, home.family_id) == {
        kept: item["itemId"],
        aside: archived["itemId"],
    }
    assert await release_orphans(db) == RIGHT
    assert (await add_item(home.admin, barcodes=[left, odd]))["barcodes"] == [left, odd]


async def test_promised_item_keeps_barcode_claims(home: Home) -> None:
    db, (code, nobodys) = home.running.db, make_barcodes(2)
    new = new_item(home.family_id, home.admin.member_id, {"name": "Rice", "barcodes": [code]})
    left = await batches.promise_items(db, home.family_id, [new], [], ())
    assert await release_orphans(db) == RIGHT
    await db.put(BarcodeClaim(family_id=home.family_id, code=nobodys, holder=NOBODYS))
    assert await release_orphans(db) == (
        "barcodes",
        "1 no longer belonged to an item and can be used again.",
    )
    await batches.finish_todos(db, left)
    assert await release_orphans(db) == RIGHT
    assert await barcode_holders(db, home.family_id) == {code: new.item_id}


async def test_claim_whose_item_appears_concurrently_is_kept(home: Home) -> None:
    db, (code,) = home.running.db, make_barcodes(1)
    claim = BarcodeClaim(family_id=home.family_id, code=code, holder=NOBODYS)
    await db.put(claim)
    new = new_item(
        home.family_id,
        home.admin.member_id,
        {"name": "Rice", "item_id": NOBODYS, "barcodes": [code]},
    )

    async def put_item() -> None:
        await db.put(new)

    assert await release_orphans(with_hook(db, before_first_transaction(put_item))) == RIGHT
    assert await barcode_holders(db, home.family_id) == {code: NOBODYS}
