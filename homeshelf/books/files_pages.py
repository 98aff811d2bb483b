"""The pages that import and export books."""

from contextlib import AsyncExitStack
from typing import IO

from fastapi import Response
from starlette.datastructures import UploadFile

from homeshelf.access.view import PersonView
from homeshelf.books import importing
from homeshelf.books.fields import ImportId
from homeshelf.books.limits import BookLimits
from homeshelf.books.rows import KINDS, MOST_BYTES, Kind
from homeshelf.errors import InUse, Invalid
from homeshelf.sentences import _
from homeshelf.web.body_limits import BodyLimits, body_limits
from homeshelf.web.pages import page_router, see_other
from homeshelf.web.spooling import spool_body

router = page_router("/books")

AROUND_A_FILE = 10_000
"""The bytes that a browser sends around a file."""


@router.get("/import")
async def import_page(view: PersonView) -> Response:
    return await _page(view)


@router.post("/import")
@body_limits(BodyLimits(somebody=MOST_BYTES + AROUND_A_FILE, counted=False))
async def send_file(view: PersonView) -> Response:
    """Preview a file, or begin to import it, as the button says."""
    turns = view.services.limits.of(BookLimits).files
    async with AsyncExitStack() as unless_it_begins:
        sent = await _sent(view, unless_it_begins)
        if sent is None:
            return await _page(view, wrong=_("Choose a file first."))
        content, kind, looks = sent
        try:
            file = await importing.read(turns, content, kind, view.who.member_id)
            if looks:
                return await _page(view, report=await importing.preview(view.db, turns, file))
            begun = await importing.start(view.services, view.db, file)
        except Invalid as wrong:
            return await _page(view, wrong=wrong.errors[0][1])
        except InUse as busy:
            return await _page(view, wrong=busy.detail)
        unless_it_begins.pop_all()
    return see_other(f"/books/imports/{begun.import_id}")


@router.get("/imports/{importId}")
async def progress_page(view: PersonView, import_id: ImportId) -> Response:
    found = await importing.import_of(view.db, view.who.member_id, import_id)
    return await view.page("books/progress.html", it=found)


async def _sent(view: PersonView, closing: AsyncExitStack) -> tuple[IO[bytes], Kind, bool] | None:
    """Return the file of a form or of a script, its kind, and whether it is only previewed."""
    kind = KINDS.get(view.request.headers.get("content-type", ""))
    if kind is not None:
        looks = view.request.query_params.get("do") != "import"
        importing.count(view.services.limits, view.who.member_id, looks=looks)
        return closing.enter_context(await spool_body(view.request)), kind, looks
    form = await view.request.form(max_files=1, max_fields=5)
    closing.push_async_callback(form.close)
    file, looks = form.get("file"), form.get("do") != "import"
    if not isinstance(file, UploadFile) or not file.filename:
        return None
    importing.count(view.services.limits, view.who.member_id, looks=looks)
    is_json = file.filename.lower().endswith(".json")
    return file.file, "application/json" if is_json else "text/csv", looks


async def _page(
    view: PersonView, *, report: importing.Report | None = None, wrong: str = ""
) -> Response:
    shown, status = report.shown() if report else None, 400 if wrong else 200
    return await view.page("books/import.html", status, report=shown, wrong=wrong)
