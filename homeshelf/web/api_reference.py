"""The interactive reference of the API at `/api/docs`: Swagger UI, whose files a package brings."""

from functools import cache
from importlib.metadata import distribution
from pathlib import Path

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse

from homeshelf.errors import NotFound
from homeshelf.web.pages import page
from homeshelf.web.scripts import API_REFERENCE

FILES = {"swagger-ui.css": "text/css", "swagger-ui-bundle.js": "text/javascript"}

router = APIRouter(include_in_schema=False)


@router.get("/api/docs")
async def api_reference(request: Request) -> Response:
    return page(request, "web/api_reference.html", script=API_REFERENCE)


@router.get("/api/docs/{name}")
async def reference_file(name: str) -> Response:
    if name not in FILES:
        raise NotFound
    # Revalidated by its ETag, because an upgrade may change the file under the same name.
    return FileResponse(
        _folder() / name, media_type=FILES[name], headers={"Cache-Control": "no-cache"}
    )


@cache
def _folder() -> Path:
    """Find the package's files without importing it: it would replace FastAPI's class."""
    return Path(str(distribution("fastapi-offline").locate_file("fastapi_offline/static")))
