"""Checklists, the default kind of shared list."""

from collections.abc import Sequence

from homeshelf.shares.checklist import api, creation_pages, item_pages, ordering, pages
from homeshelf.shares.checklist.bodies import NewList
from homeshelf.shares.checklist.model import ENTITY, GAP, ChecklistItem, NewItem, sort_items
from homeshelf.shares.checklist.store import items_of, new_item
from homeshelf.shares.kind import ShareableKind
from homeshelf.shares.model import Shareable


def _new_items(shared: Shareable, items: Sequence[NewItem]) -> list[ChecklistItem]:
    return [new_item(shared, item, at * GAP) for at, item in enumerate(items)]


def _untick(items: Sequence[ChecklistItem]) -> tuple[NewItem, ...]:
    return tuple(NewItem(item.name, item.note) for item in items)


CHECKLIST = ShareableKind(
    entity=ENTITY,
    records={ChecklistItem: items_of},
    body=NewList,
    new_children=_new_items,
    sort_children=sort_items,
    copy_children=_untick,
    render_children=api.render_items,
    children_schema={"items": [api.ITEM]},
    show_page=pages.show_list,
    messages=pages.MESSAGES,
    is_printed=True,
    api=[api.router],
    pages=[creation_pages.router, pages.router, item_pages.router],
    todos={ordering.REORDERING_KIND: ordering.finish_reordering},
)
