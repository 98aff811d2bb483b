"""All the tags of a family, and a sheet of labels for any of them, for admins."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Query, Response
from markupsafe import Markup

from homeshelf.access.view import AdminView
from homeshelf.inventory import store as inventory
from homeshelf.inventory.model import InventoryItem
from homeshelf.table import Database
from homeshelf.taps import store
from homeshelf.taps.model import NFCUrl
from homeshelf.taps.store import in_use
from homeshelf.web.drawings import qr_code
from homeshelf.web.links import BaseUrl
from homeshelf.web.requests import page_router

router = page_router("/tags")

PAPERS = ("A4", "Letter")

Chosen = Annotated[list[str], Query(max_length=500)]
Paper = Annotated[str, Query(max_length=10)]


@dataclass(frozen=True)
class Label:
    """What is printed for a tag: a code, and words for those who cannot scan."""

    tag: NFCUrl
    item: InventoryItem
    base: str

    @property
    def qr(self) -> Markup:
        return qr_code(f"{self.base}{self.tag.path}")


@router.get("")
async def family_tags_page(view: AdminView, base: BaseUrl) -> Response:
    labels = await _labels(view.db, view.who.family_id, base)
    groups = groupby(labels, key=lambda label: label.item)
    return await view.page(
        "taps/family.html",
        groups=[(item, list(some)) for item, some in groups],
        papers=PAPERS,
    )


@router.get("/print")
async def print_page(
    view: AdminView,
    base: BaseUrl,
    tag: Chosen = [],  # noqa: B006  # FastAPI copies it
    item: Chosen = [],  # noqa: B006
    paper: Paper = PAPERS[0],
) -> Response:
    """Those chosen by themselves or with their item; all of them if nothing is."""
    labels = await _labels(view.db, view.who.family_id, base)
    if tag or item:
        labels = [each for each in labels if each.tag.mark in tag or each.item.item_id in item]
    return await view.page(
        "taps/print.html",
        labels=labels,
        paper=paper if paper in PAPERS else PAPERS[0],
        papers=[(each, _asked(each, tag, item)) for each in PAPERS],
    )


async def _labels(db: Database, family_id: str, base: str) -> Sequence[Label]:
    """By the names of things. The index lags, and a dead address is on no label."""
    hints = await db.all(store.tags_of_family(family_id).only(in_use))
    tags = [tag for tag in await db.get_many([hint.own_key() for hint in hints], skip=True) if tag]
    ids = sorted({tag.item_id for tag in tags})
    found = await db.get_many([inventory.key_of(family_id, each) for each in ids], skip=True)
    items = dict(zip(ids, found, strict=True))
    labels = [
        Label(tag, item, base)
        for tag in tags
        if tag.is_active and (item := items[tag.item_id]) and item.status == "active"
    ]
    return sorted(labels, key=_order)


def _asked(paper: str, tags: list[str], items: list[str]) -> str:
    return urlencode({"paper": paper, "tag": tags, "item": items}, doseq=True)


def _order(label: Label) -> tuple[str, str, str, str]:
    item, tag = label.item, label.tag
    return item.name.casefold(), item.item_id, (tag.label or "").casefold(), tag.created_at
