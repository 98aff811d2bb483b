"""Bringing books along, and taking them away again."""

from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import IO

from fastapi import Request, Response
from starlette.datastructures import UploadFile

from homeshelf.access import Person, SignedIn
from homeshelf.access.shell import shell_for
from homeshelf.books import importing
from homeshelf.books.importing import Report
from homeshelf.books.rows import KINDS, MOST_BYTES, Kind
from homeshelf.errors import InUse, Invalid
from homeshelf.web.body_limits import BodyLimits, body_limits
from homeshelf.web.ids import ImportId
from homeshelf.web.pages import page, see_other
from homeshelf.web.requests import page_router
from homeshelf.web.services import Services, TheServices
from homeshelf.web.spooling import spooled

router = page_router("/books")

AROUND_A_FILE = 10_000
"""What a browser writes around a file that it sends."""


@router.get("/import")
async def import_page(request: Request, reader: Person, services: TheServices) -> Response:
    return await _page(request, reader, services)


@router.post("/import")
@body_limits(BodyLimits(somebody=MOST_BYTES + AROUND_A_FILE))
async def send_file(request: Request, reader: Person, services: TheServices) -> Response:
    """Looks at a file first, or puts it onto the shelf, as the button says."""
    async with AsyncExitStack() as unless_it_begins:
        sent = await _sent(request, reader, services, unless_it_begins)
        if sent is None:
            return await _page(request, reader, services, wrong="Choose a file first.")
        try:
            file = await importing.read(sent.content, sent.kind, reader.member_id)
            if sent.looks:
                report = await importing.preview(services.db, file)
                return await _page(request, reader, services, report=report)
            begun = await importing.begin(services.db, file)
        except Invalid as wrong:
            return await _page(request, reader, services, wrong=wrong.errors[0][1])
        except InUse as busy:
            return await _page(request, reader, services, wrong=busy.detail)
        unless_it_begins.pop_all()
    importing.start(request.app.state.imports, services.db, begun, file)
    return see_other(f"/books/imports/{begun.import_id}")


@router.get("/imports/{importId}")
async def progress_page(
    request: Request, reader: Person, import_id: ImportId, services: TheServices
) -> Response:
    found = await importing.import_of(services.db, reader.member_id, import_id)
    shell = await shell_for(request, services, reader)
    return page(request, "books/progress.html", shell=shell, it=found)


@dataclass(frozen=True)
class Sent:
    content: IO[bytes]
    kind: Kind
    looks: bool


async def _sent(
    request: Request, reader: SignedIn, services: Services, closing: AsyncExitStack
) -> Sent | None:
    """The file of a form, or one that a script sends as it is, so that the form keeps it."""
    kind = KINDS.get(request.headers.get("content-type", ""))
    if kind is not None:
        looks = request.query_params.get("do") != "import"
        importing.count(services.limits, reader.member_id, looks=looks)
        return Sent(closing.enter_context(await spooled(request)), kind, looks)
    form = await request.form(max_files=1, max_fields=5)
    closing.push_async_callback(form.close)
    file, looks = form.get("file"), form.get("do") != "import"
    if not isinstance(file, UploadFile) or not file.filename:
        return None
    importing.count(services.limits, reader.member_id, looks=looks)
    is_json = file.filename.lower().endswith(".json")
    return Sent(file.file, "application/json" if is_json else "text/csv", looks)


async def _page(
    request: Request,
    reader: SignedIn,
    services: Services,
    *,
    report: Report | None = None,
    wrong: str = "",
) -> Response:
    return page(
        request,
        "books/import.html",
        400 if wrong else 200,
        shell=await shell_for(request, services, reader),
        report=report.shown() if report else None,
        wrong=wrong,
    )
