"""Checklists, the first kind of thing that can be shared."""

from collections.abc import Sequence

from homeshelf.shares.checklist import api, item_pages, making_pages, ordering, pages
from homeshelf.shares.checklist.bodies import NewList
from homeshelf.shares.checklist.model import ENTITY, GAP, ChecklistItem, NewItem, in_order
from homeshelf.shares.checklist.store import items_of, new_item
from homeshelf.shares.kind import ShareableKind
from homeshelf.shares.model import Shareable


def _new_items(shared: Shareable, items: Sequence[NewItem]) -> list[ChecklistItem]:
    return [new_item(shared, item, at * GAP) for at, item in enumerate(items)]


def _unticked(items: Sequence[ChecklistItem]) -> tuple[NewItem, ...]:
    return tuple(NewItem(item.name, item.note) for item in items)


CHECKLIST = ShareableKind(
    entity=ENTITY,
    records={ChecklistItem: items_of},
    body=NewList,
    new_children=_new_items,
    in_order=in_order,
    copied=_unticked,
    show=api.shown_items,
    shape={"items": [api.ITEM]},
    page=pages.show_list,
    said=pages.SAID,
    is_printed=True,
    api=[api.router],
    pages=[making_pages.router, pages.router, item_pages.router],
    todos={ordering.KIND: ordering.finish},
)
