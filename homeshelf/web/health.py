"""For those who run it: is it alive, does the database answer, how is it doing."""

from fastapi import APIRouter, Request, Response

from homeshelf import ip
from homeshelf.errors import NotFound, Unavailable
from homeshelf.table import TableError
from homeshelf.web.forwarding import is_forwarded
from homeshelf.web.json import Json
from homeshelf.web.metrics import rendered
from homeshelf.web.services import Db, Secret, TheServices

router = APIRouter(include_in_schema=False)


@router.get("/healthz")
async def healthz() -> Response:
    return Json({"status": "alive"})


@router.get("/readyz")
async def readyz(db: Db) -> Response:
    try:
        await db.get(Secret.key())
    except TableError:
        raise Unavailable(2) from None
    return Json({"status": "ready"})


@router.get("/metrics")
async def metrics(request: Request, services: TheServices) -> Response:
    match services.settings.metrics:
        case "off":
            raise NotFound
        case "local" if not _is_local(request):
            raise NotFound
    return Response(rendered(), media_type="text/plain; version=0.0.4; charset=utf-8")


def _is_local(request: Request) -> bool:
    """Who comes by a proxy that nobody named may come from anywhere."""
    address = ip.address(request.client.host) if request.client else None
    return address is not None and address.is_loopback and not is_forwarded(request.scope)
