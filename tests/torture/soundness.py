"""Check a whole database: every record must agree with all related records.

    assert await troubles(db) == []

It reads all records, and requires that no process writes and that no work is pending.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, TypeVar

from homeshelf.accounts.model import Account, EmailClaim, digest_of_email
from homeshelf.books.model import Book, Note, ReadingEvent, Removal
from homeshelf.coordination.todos import Todo
from homeshelf.families.model import Family, Invitation, Member, PendingClaim
from homeshelf.inventory.barcodes import BarcodeClaim, barcode_claims
from homeshelf.inventory.batches import PromisedItems
from homeshelf.inventory.model import InventoryItem, QuantityChange
from homeshelf.moving.record_kinds import every_kind
from homeshelf.notices.model import Notification, OpenNotice
from homeshelf.places.model import PlaceName, StorageLocation, Store, name_claim
from homeshelf.shares.checklist.model import ChecklistItem
from homeshelf.shares.model import PoolSlot, Shareable, ShortIdClaim
from homeshelf.shopping.model import PendingEntries, ShoppingListItem
from homeshelf.table import TABLES, Database, Item, Key, Record, key_in
from homeshelf.taps.model import NFCUrl

R = TypeVar("R", bound=Record)
PASSING = ("ANSWERS#", "CHANGES#")
"""Short-lived records, which need not agree with records that changed since."""


class AllRecords:
    """All records of the database, by kind."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records: dict[type[Record], list[Record]] = defaultdict(list)
        for record in records:
            self._records[type(record)].append(record)

    def of(self, kind: type[R]) -> list[R]:
        return self._records[kind]  # type: ignore[return-value]  # by their kinds


async def find_inconsistencies(db: Database, together: Sequence[Sequence[str]] = ()) -> list[str]:
    """Return sentences about the faults. Of the ids in `together` all items exist, or none."""
    records, wrong = [], []
    for table in TABLES:
        for item in (await db.engine.scan(table, 10**6)).items:
            key = key_in(table, item)
            if str(key.partition).startswith(PASSING):
                continue
            kind = _kind_of_key(key)
            if kind is None:
                wrong.append(f"{key} is of no kind")
                continue
            record = kind.load(item)
            records.append(record)
            wrong += _check_keys(record, item)
    every = AllRecords(records)
    items = {item.item_id for item in every.of(InventoryItem)}
    for ids in together:
        if 0 < (found := len(items.intersection(ids))) < len(ids):
            wrong.append(f"{found} of {len(ids)} items are there that come together")
    return wrong + [each for look in LOOKS for each in look(every)]


def _kind_of_key(key: Key[Item]) -> type[Record] | None:
    begins = (str(part).partition("#")[0] for part in (key.partition, key.sort))
    likely = _matching_kinds(key.table.name, *begins)
    return next((kind for kind in likely if kind.matches_key(key)), None)


@cache
def _matching_kinds(table: str, partition: str, sort: str) -> tuple[type[Record], ...]:
    """Return the kinds whose keys match this partition and sort key."""
    words = (partition, sort)

    def matches(kind: type[Record]) -> bool:
        templates = (kind.keys[kind.table.partition], kind.keys[kind.table.sort])
        starts = [template.partition("#")[0] for template in templates]
        return kind.table.name == table and all(
            "{" in start or start == word for start, word in zip(starts, words, strict=True)
        )

    return tuple(kind for kind in _every_kind() if matches(kind))


@cache
def _every_kind() -> tuple[type[Record], ...]:
    return tuple(every_kind())


def _check_keys(record: Record, item: Item) -> Iterator[str]:
    """Check that the index keys match the record."""
    right = record.item()
    keys = record.table.key_attributes
    if any(item.get(name) != right.get(name) for name in keys):
        yield f"the keys of {item} are not those of its record"


def check_counts(every: AllRecords) -> Iterator[str]:
    """Check that the history of a quantity has no gap and adds up to the quantity."""
    history: dict[str, list[QuantityChange]] = defaultdict(list)
    for change in every.of(QuantityChange):
        history[change.item_id].append(change)
    for item in every.of(InventoryItem):
        quantity = 0
        for change in sorted(history.pop(item.item_id, []), key=lambda each: each.at):
            quantity += change.delta
            if quantity != change.quantity:
                yield f"the history of {item.item_id} breaks at {change.at}"
        if quantity != item.quantity:
            yield f"the history of {item.item_id} says {quantity}, the item {item.quantity}"
    yield from (f"{item_id} is gone and has a history" for item_id in history)


def check_promises(every: AllRecords) -> Iterator[str]:
    yield from (
        f"{len(each.item_ids)} items are promised and not made"
        for each in every.of(PromisedItems)
        if each.item_ids
    )


def check_notices(every: AllRecords) -> Iterator[str]:
    low = {item.item_id for item in every.of(InventoryItem) if item.needs_notice}
    open_ = {it.item_id: it.notification_id for it in every.of(Notification) if it.is_open}
    if len(open_) != sum(it.is_open for it in every.of(Notification)):
        yield "an item has two open notices"
    if open_.keys() != low:
        yield f"low items and open notices differ: {open_.keys() ^ low}"
    if open_ != {claim.item_id: claim.holder for claim in every.of(OpenNotice)}:
        yield "open notices and their claims differ"


def check_claims(every: AllRecords) -> Iterator[str]:
    """Check that only its owner claims each unique value."""
    items, places = every.of(InventoryItem), (*every.of(StorageLocation), *every.of(Store))
    claims = [claim for item in items for claim in barcode_claims(item)]
    yield from _claim_differences("barcodes", claims, every.of(BarcodeClaim))
    yield from _claim_differences(
        "names", [name_claim(place) for place in places], every.of(PlaceName)
    )
    yield from (f"{place.name} is closed" for place in places if place.closed_at)
    accounts = [account for account in every.of(Account) if account.email]
    addresses = [
        EmailClaim(email_digest=digest_of_email(it.email), holder=it.member_id) for it in accounts
    ]
    yield from _claim_differences("addresses", addresses, every.of(EmailClaim))
    invited = [it.claim for it in every.of(Invitation) if it.status == "pending"]
    yield from _claim_differences("invitations", invited, every.of(PendingClaim))


def check_entries(every: AllRecords) -> Iterator[str]:
    """Check which entries wait for an item, and that the records they name exist."""
    waiting: dict[str, set[str]] = defaultdict(set)
    for entry in every.of(ShoppingListItem):
        if entry.pending_item_id:
            waiting[entry.pending_item_id].add(entry.shopping_item_id)
    claims = {claim.item_id: set(claim.members) for claim in every.of(PendingEntries)}
    if claims != waiting:
        yield f"waiting entries and their claims differ: {claims} and {dict(waiting)}"
    items = {item.item_id for item in every.of(InventoryItem)}
    shops = {store.store_id for store in every.of(Store)}
    rooms = {location.location_id for location in every.of(StorageLocation)}
    for entry in every.of(ShoppingListItem):
        if entry.item_id not in {None, *items} or entry.store_id not in {None, *shops}:
            yield f"the entry {entry.name} names what is gone"
    for item in every.of(InventoryItem):
        if item.location_id not in {None, *rooms} or not shops.issuperset(item.store_ids):
            yield f"the item {item.name} names what is gone"


def check_tags(every: AllRecords) -> Iterator[str]:
    called = {item.item_id: item.name for item in every.of(InventoryItem)}
    for tag in every.of(NFCUrl):
        if tag.is_active and tag.item_id not in called:
            yield f"a tag opens {tag.item_id}, which is gone"
        if tag.item_id in called and tag.item_name != called[tag.item_id]:
            yield f"a tag calls {called[tag.item_id]} {tag.item_name}"


def check_people(every: AllRecords) -> Iterator[str]:
    """Check that members, accounts and the number of admins agree about each family."""
    active = [member for member in every.of(Member) if member.is_active]
    said = {(it.member_id, family) for it in every.of(Account) for family in it.families}
    if {(it.member_id, it.family_id) for it in active} != said:
        yield "members and accounts differ"
    admins = Counter(member.family_id for member in active if member.is_admin)
    for family in every.of(Family):
        if family.admins != admins[family.family_id]:
            yield f"{family.admins} admins are counted, and there are {admins[family.family_id]}"


def check_shared_lists(every: AllRecords) -> Iterator[str]:
    lists = {shared.short_id: shared for shared in every.of(Shareable)}
    for shared in lists.values():
        if shared.hidden or shared.ordering:
            yield f"the list {shared.name} is half done"
    for item in every.of(ChecklistItem):
        if item.short_id not in lists:
            yield f"{item.name} is of a list that is gone"
        elif item.ttl != lists[item.short_id].ttl:
            yield f"{item.name} is kept for another time than its list"
    known = {claim.short_id for claim in every.of(ShortIdClaim)}
    free = {slot.id.lower() for slot in every.of(PoolSlot)}
    if not known >= {*lists, *free} or free & lists.keys():
        yield "a short id could be handed out twice"


def check_books(every: AllRecords) -> Iterator[str]:
    there = {book.id: book for book in every.of(Book)}
    parts: Sequence[Note | ReadingEvent] = [*every.of(Note), *every.of(ReadingEvent)]
    lost = [part for part in parts if part.book_id not in there]
    yield from (f"{part.id} is of a book that is gone" for part in lost)
    latest: dict[str, ReadingEvent] = {}
    for event in sorted(every.of(ReadingEvent), key=lambda each: each.occurred_at):
        latest[event.book_id] = event
    for id_, event in latest.items():
        if id_ in there and there[id_].current_page != event.page:
            yield f"{there[id_].title} is on another page than its reader reached"
    yield from (f"the removal of {it.book_id} is half done" for it in every.of(Removal))


def check_todos(every: AllRecords) -> Iterator[str]:
    yield from (f"{todo.kind} is left to do: {todo.about}" for todo in every.of(Todo))


LOOKS = (
    check_counts,
    check_promises,
    check_notices,
    check_claims,
    check_entries,
    check_tags,
    check_people,
    check_shared_lists,
    check_books,
    check_todos,
)


def _claim_differences(what: str, wanted: Sequence[Any], found: Sequence[Any]) -> Iterator[str]:
    ours, theirs = ({repr(claim) for claim in claims} for claims in (wanted, found))
    if ours != theirs:
        yield f"{what} and their claims differ: {ours ^ theirs}"
