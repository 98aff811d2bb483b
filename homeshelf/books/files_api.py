"""A shelf out into a file, and a file onto a shelf."""

from contextlib import ExitStack
from typing import Annotated, Any, Literal

from fastapi import Query, Request, Response
from fastapi.responses import StreamingResponse

from homeshelf.access import Person
from homeshelf.books import importing
from homeshelf.books.export import as_csv, as_json
from homeshelf.books.model import Import
from homeshelf.books.rows import KINDS, MOST_BYTES
from homeshelf.errors import Invalid
from homeshelf.sentences import _
from homeshelf.web.body_limits import BodyLimits, body_limits
from homeshelf.web.ids import ImportId
from homeshelf.web.json import Json
from homeshelf.web.openapi import answers
from homeshelf.web.requests import api_router
from homeshelf.web.services import Db, TheServices
from homeshelf.web.spooling import reads_from_disk, spooled

router = api_router()

BEGUN = {"importId": str}
REPORT = {"added": int, "skipped": int, "problems": list[dict[str, str | int]]}
PROGRESS = {"done": int, "total": int} | REPORT


@router.get("/books/export")
@answers(kinds=("text/csv", "application/json"))
async def export(
    reader: Person, db: Db, format_: Annotated[Literal["csv", "json"], Query(alias="format")]
) -> Response:
    parts = (as_csv if format_ == "csv" else as_json)(db, reader.member_id)
    kind = "text/csv; charset=utf-8" if format_ == "csv" else "application/json"
    name = f'attachment; filename="books.{format_}"'
    return StreamingResponse(parts, media_type=kind, headers={"Content-Disposition": name})


@router.post("/books/import", status_code=202)
@answers(BEGUN, also={200: REPORT})
@body_limits(BodyLimits(somebody=MOST_BYTES))
@reads_from_disk
async def import_books(
    request: Request,
    reader: Person,
    services: TheServices,
    dry_run: Annotated[bool, Query(alias="dryRun")] = False,
) -> Response:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    known = KINDS.get(kind)
    if known is None:
        raise Invalid([("Content-Type", _("This must be text/csv or application/json."))])
    importing.count(services.limits, reader.member_id, looks=dry_run)
    with ExitStack() as unless_it_begins:
        content = unless_it_begins.enter_context(await spooled(request))
        file = await importing.read(content, known, reader.member_id)
        if dry_run:
            return Json((await importing.preview(services.db, file)).shown())
        begun = await importing.begin(reader.once.unit(services.db, _begun, 202), file)
        unless_it_begins.pop_all()
    importing.start(request.app.state.imports, services.db, begun, file)
    return Json(_begun(begun), 202)


@router.get("/books/imports/{importId}")
@answers(PROGRESS)
async def one_import(reader: Person, import_id: ImportId, db: Db) -> Response:
    found = await importing.import_of(db, reader.member_id, import_id)
    names = ("done", "total", "added", "skipped", "problems")
    return Json({name: getattr(found, name) for name in names})


def _begun(begun: Import) -> dict[str, Any]:
    return {"importId": begun.import_id}
