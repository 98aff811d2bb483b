"""Styles, scripts and pictures, served from memory under the hash of the whole tree.

An address changes when any file does, so browsers keep everything for a year and ask for nothing
twice. The style sheets go out as one file, joined in the order of their layers, but for what only a
few pages need (`css/own`), which those load besides. Scripts are joined into files too, for each
kind of page (`scripts.py`). Comments on lines of their own
are left out: they are a quarter of all that a phone would load.
"""

import gzip
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fastapi import APIRouter, Request, Response

from homeshelf.errors import NotFound
from homeshelf.web.scripts import joined

FOLDER = Path(__file__).parent / "static"
TAP_SHEETS = (
    "layers",
    "tokens",
    "reset",
    "base",
    "parts/button",
    "parts/face",
    "parts/picture",
    "tap",
)
"""All that the page of a tag needs, which is to be there at once."""
SHEETS = ("layers", "tokens", "reset", "base", "parts", "pages", "utilities")
KEPT = "public, max-age=31536000, immutable"
KINDS = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
PARTS = ("text/css", "text/javascript")

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class Asset:
    kind: str
    plain: bytes
    packed: bytes


class Assets:
    def __init__(self, files: dict[str, bytes]) -> None:
        tree = hashlib.sha256()
        for name in sorted(files):
            tree.update(name.encode() + b"\0" + files[name] + b"\0")
        self.hash = tree.hexdigest()[:12]
        self.files = {name: _asset(name, content) for name, content in files.items()}

    def url(self, name: str) -> str:
        if name not in self.files:
            raise LookupError(f"there is no asset {name}")
        return f"/static/{self.hash}/{name}"


@cache
def assets() -> Assets:
    tap = [(FOLDER / "css" / f"{name}.css").read_text() for name in TAP_SHEETS]
    own = {path.name: [path.read_text()] for path in sorted((FOLDER / "css" / "own").glob("*.css"))}
    sheets = {"app.css": _sheets(), "tap.css": tap} | own
    files = {name: without_comments("\n".join(texts)).encode() for name, texts in sheets.items()}
    paths = sorted((FOLDER / "js").rglob("*.js"))
    modules = {str(path.relative_to(FOLDER)): without_comments(path.read_text()) for path in paths}
    files |= {name: text.encode() for name, text in joined(modules).items()}
    return Assets(files | {path.name: path.read_bytes() for path in sorted(FOLDER.glob("icon*"))})


_COMMENTS = re.compile(r"^[ \t]*(?://[^\n]*|/\*(?:[^*]|\*(?!/))*\*/[ \t]*)\n", re.MULTILINE)
"""Those on lines of their own."""


def without_comments(text: str) -> str:
    return _COMMENTS.sub("", text)


@router.get("/static/{tree}/{name:path}")
async def asset(tree: str, name: str, request: Request) -> Response:
    found = assets().files.get(name)
    if found is None or tree != assets().hash:
        raise NotFound
    # Scripts and sheets act by the policy of the page they are part of. There are many of them, and
    # a policy with each is more than most of them are.
    request.state.is_part = found.kind in PARTS
    headers = {"Cache-Control": KEPT, "Vary": "Accept-Encoding"}
    if found.packed and "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return Response(found.packed, media_type=found.kind, headers=headers)
    return Response(found.plain, media_type=found.kind, headers=headers)


def _sheets() -> list[str]:
    """One sheet or one folder of them for each layer."""
    texts = []
    for name in SHEETS:
        folder = FOLDER / "css" / name
        paths = sorted(folder.glob("*.css")) if folder.is_dir() else [folder.with_suffix(".css")]
        texts += [path.read_text() for path in paths]
    return texts


def _asset(name: str, content: bytes) -> Asset:
    kind = KINDS[Path(name).suffix]
    return Asset(kind, content, b"" if kind == "image/png" else gzip.compress(content, 9, mtime=0))
