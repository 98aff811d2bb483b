"""Put everything away that was bought on a trip, with one form."""

import re
from collections.abc import Mapping
from itertools import groupby

from fastapi import Response

from homeshelf.access.view import AdminView
from homeshelf.sentences import _
from homeshelf.shopping import store
from homeshelf.shopping.bodies import TripLineForm
from homeshelf.shopping.entry_parser import fold_name
from homeshelf.shopping.list_snapshot import read_snapshot
from homeshelf.shopping.pages import (
    MAX_NAMED,
    At,
    Ids,
    already_away_message,
    list_path,
    query_string,
)
from homeshelf.shopping.stock_transfer import TripLine, put_trip_away
from homeshelf.web.forms import Form, make_form, read_fields
from homeshelf.web.ids import UUID
from homeshelf.web.pages import OutcomeKey, page_router, see_other

router = page_router("/list")

MAX_FIELDS = 2000
MESSAGES = {
    "changed": _("Someone was faster. Here’s how it looks now."),
    "left": _("Not everything could be put away. Check what’s left."),
}


@router.get("/put-away-all")
async def trip_page(
    view: AdminView, at: At = "", said: OutcomeKey = "", already: Ids = ""
) -> Response:
    return await _render_trip(view, at, said, already, {})


@router.post("/put-away-all")
async def put_all_away(view: AdminView, at: At = "") -> Response:
    forms = _line_forms(await read_fields(view.request, MAX_FIELDS))
    if any(form.wrong for form in forms.values()):
        return await _render_trip(view, at, "", "", forms)
    lines = [
        TripLine(
            store.key_of(view.who.family_id, id_),
            form.body.version,
            form.body.quantity,
            form.body.choice,
        )
        for id_, form in forms.items()
        if form.body is not None
    ]
    outcome = await put_trip_away(view.db, lines, view.who.member_id)
    already = ",".join(entry.shopping_item_id for entry in outcome.already_away[:MAX_NAMED])
    if outcome.has_unavailable_items or outcome.is_changed:
        said = "left" if outcome.has_unavailable_items else "changed"
        return see_other(f"/list/put-away-all{query_string(at=at, said=said, already=already)}")
    return see_other(list_path(at, "away", already))


def _line_forms(sent: list[tuple[str, str]]) -> dict[str, Form[TripLineForm]]:
    """Return a form for each entry, whose fields are named `{id}.{field}`."""
    named = [(*name.partition(".")[::2], text) for name, text in sent]
    fields = sorted(each for each in named if re.fullmatch(UUID, each[0]))
    forms = {
        id_: make_form(TripLineForm, [(name, text) for _id, name, text in group])
        for id_, group in groupby(fields, key=lambda each: each[0])
    }
    return {id_: _require_match(form) for id_, form in forms.items()}


def _require_match(form: Form[TripLineForm]) -> Form[TripLineForm]:
    if form.body and form.body.stock == "match" and not form.body.item_id:
        return form.but(itemId=_("Choose an item."))
    return form


async def _render_trip(
    view: AdminView, at: str, said: str, already: str, forms: Mapping[str, Form[TripLineForm]]
) -> Response:
    now = await read_snapshot(view.db, view.who.family_id)
    chosen = at if any(shop.store_id == at for shop in now.shops) else None
    trip = [entry for entry in now.entries if entry.is_of_trip(chosen)]
    items = [known for known in now.known_names if known.item_id]
    blank = Form(TripLineForm)
    wrong = next((each for each in forms.values() if each.wrong), blank)
    return await view.page(
        "shopping/trip.html",
        lines=sorted(
            (entry for entry in trip if entry.item_id not in now.archived_ids),
            key=lambda entry: (bool(entry.item_id), fold_name(entry.name)),
        ),
        archived=[entry for entry in trip if entry.item_id in now.archived_ids],
        items=items,
        by_name={fold_name(known.name): known.item_id for known in items},
        fold_name=fold_name,
        places=now.places,
        pictures=now.pictures,
        forms=forms,
        form=wrong,
        blank=blank,
        here=query_string(at=chosen),
        said=already_away_message(now.entries, already) or MESSAGES.get(said, ""),
    )
