"""Styles, scripts and pictures, served from memory under a hash of all of them.

An address changes when any file does, so browsers cache everything for a year. The `static` folders
of `web` and of the slices form one tree. All sheets but those in `css/own`, which only a few pages
load, are sent as one file, and comments are removed.
"""

import gzip
import hashlib
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fastapi import APIRouter, Request, Response

from homeshelf.errors import NotFound
from homeshelf.web.request_context import context_of
from homeshelf.web.scripts import add_slice_imports, bundle_modules

PACKAGE = Path(__file__).parents[1]
SHARED = PACKAGE / "web" / "static"
SHEETS = ("layers", "tokens", "reset", "base", "parts", "pages", "utilities")
KEPT = "public, max-age=31536000, immutable"
KINDS = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
}
PACKED_ALREADY = ("image/png", "image/jpeg")
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
        self.files = {name: _make_asset(name, content) for name, content in files.items()}

    def url(self, name: str) -> str:
        if name not in self.files:
            raise LookupError(f"there is no asset {name}")
        return f"/static/{self.hash}/{name}"


@cache
def assets() -> Assets:
    tree = static_files()
    sheets = {"app.css": "".join(tree[name].read_text() for name in _sheets_in_order(tree))}
    own = [name for name in tree if name.startswith("css/own/")]
    sheets |= {Path(name).name: _inline_imports(tree, name) for name in own}
    files = {name: without_comments(text).encode() for name, text in sheets.items()}
    sent = {name: without_comments(text) for name, text in modules().items()}
    files |= {name: text.encode() for name, text in bundle_modules(sent, slice_modules()).items()}
    pictures = sorted([*SHARED.glob("icon*"), *SHARED.glob("screenshot*")])
    return Assets(files | {path.name: path.read_bytes() for path in pictures})


def static_files() -> dict[str, Path]:
    """Return the files of `web` and of all slices, by their names in the one tree."""
    found: dict[str, Path] = {}
    folders = [*PACKAGE.glob("*/static"), *PACKAGE.glob("*/*/static")]
    for path in sorted(path for folder in folders for path in folder.glob("*/**/*.*")):
        name = path.as_posix().rpartition("/static/")[2]
        if name in found:
            raise LookupError(f"{path} and {found[name]} have the same name")
        found[name] = path
    return dict(sorted(found.items()))


def modules() -> dict[str, str]:
    """Return the scripts' sources, with the imports that slices add to those of `web`."""
    found = static_files().items()
    texts = {name: path.read_text() for name, path in found if name.endswith(".js")}
    return add_slice_imports(texts, slice_modules())


def slice_modules() -> list[str]:
    found = static_files().items()
    return [name for name, path in found if name.endswith(".js") and SHARED not in path.parents]


_COMMENTS = re.compile(r"^[ \t]*(?://[^\n]*|/\*(?:[^*]|\*(?!/))*\*/[ \t]*)\n", re.MULTILINE)
"""Comments on lines of their own."""


def without_comments(text: str) -> str:
    return _COMMENTS.sub("", text)


@router.get("/static/{tree}/{name:path}")
async def asset(tree: str, name: str, request: Request) -> Response:
    found = assets().files.get(name)
    if found is None or tree != assets().hash:
        raise NotFound
    # The policy of the page applies to its scripts and sheets, most of which are smaller than a
    # policy.
    context_of(request.scope).is_part = found.kind in PARTS
    headers = {"Cache-Control": KEPT, "Vary": "Accept-Encoding"}
    if found.packed and "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return Response(found.packed, media_type=found.kind, headers=headers)
    return Response(found.plain, media_type=found.kind, headers=headers)


def _sheets_in_order(tree: Mapping[str, Path]) -> Iterator[str]:
    """Yield the sheets in the order of their layers; a layer is one sheet or one folder."""
    for layer in SHEETS:
        yield from (name for name in tree if re.fullmatch(rf"css/{layer}(/[^/]+)?\.css", name))


_IMPORT = re.compile(r'^@import "([^"]+)";\n', re.MULTILINE)


def _inline_imports(tree: Mapping[str, Path], name: str) -> str:
    """Return a sheet with its imports inlined, for pages without the common sheets."""

    def imported(found: re.Match[str]) -> str:
        return tree[posixpath.normpath(posixpath.join("css/own", found[1]))].read_text()

    return _IMPORT.sub(imported, tree[name].read_text())


def _make_asset(name: str, content: bytes) -> Asset:
    kind = KINDS[Path(name).suffix]
    packed = b"" if kind in PACKED_ALREADY else gzip.compress(content, 9, mtime=0)
    return Asset(kind, content, packed)
