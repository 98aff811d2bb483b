"""The pages that import and export books."""

from contextlib import AsyncExitStack
from typing import IO

from fastapi import Response
from starlette.datastructures import UploadFile

from homeshelf.access.view import PersonView
from homeshelf.books import import_jobs
from homeshelf.books.fields import ImportId
from homeshelf.books.file_rows import KINDS, MAX_BYTES, Kind
from homeshelf.books.limits import BookLimits
from homeshelf.errors import InUse, Invalid
from homeshelf.sentences import _
from homeshelf.web.body_limits import BodyLimits, body_limits
from homeshelf.web.pages import page_router, see_other
from homeshelf.web.spooling import spool_body

router = page_router("/books")

FORM_BYTES = 10_000


@router.get("/import")
async def import_page(view: PersonView) -> Response:
    return await _page(view)


@router.post("/import")
@body_limits(BodyLimits(somebody=MAX_BYTES + FORM_BYTES, counted=False))
async def send_file(view: PersonView) -> Response:
    turns = view.services.limits.of(BookLimits).files
    async with AsyncExitStack() as unless_it_begins:
        sent = await _sent(view, unless_it_begins)
        if sent is None:
            return await _page(view, wrong=_("Choose a file first."))
        content, kind, is_preview = sent
        try:
            file = await import_jobs.read(turns, content, kind, view.who.member_id)
            if is_preview:
                return await _page(view, report=await import_jobs.preview(view.db, turns, file))
            begun = await import_jobs.start(view.services, view.db, file)
        except Invalid as wrong:
            return await _page(view, wrong=wrong.errors[0][1])
        except InUse as busy:
            return await _page(view, wrong=busy.detail)
        unless_it_begins.pop_all()
    return see_other(f"/books/imports/{begun.import_id}")


@router.get("/imports/{importId}")
async def progress_page(view: PersonView, import_id: ImportId) -> Response:
    found = await import_jobs.import_of(view.db, view.who.member_id, import_id)
    return await view.page("books/progress.html", it=found)


async def _sent(view: PersonView, closing: AsyncExitStack) -> tuple[IO[bytes], Kind, bool] | None:
    kind = KINDS.get(view.request.headers.get("content-type", ""))
    if kind is not None:
        is_preview = view.request.query_params.get("do") != "import"
        import_jobs.count(view.services.limits, view.who.member_id, is_preview=is_preview)
        return closing.enter_context(await spool_body(view.request)), kind, is_preview
    form = await view.request.form(max_files=1, max_fields=5)
    closing.push_async_callback(form.close)
    file, is_preview = form.get("file"), form.get("do") != "import"
    if not isinstance(file, UploadFile) or not file.filename:
        return None
    import_jobs.count(view.services.limits, view.who.member_id, is_preview=is_preview)
    is_json = file.filename.lower().endswith(".json")
    return file.file, "application/json" if is_json else "text/csv", is_preview


async def _page(
    view: PersonView, *, report: import_jobs.Report | None = None, wrong: str = ""
) -> Response:
    shown, status = report.shown() if report else None, 400 if wrong else 200
    return await view.page("books/import.html", status, report=shown, wrong=wrong)
