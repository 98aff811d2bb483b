"""A program that has loaded what knows no slice, and starts with those that a folder has by then.

It reads lines, each a folder to run in, forks for each, and answers with how that ended. What the
one that it forked says is in `stdout` and `stderr` there, and in `serving.json` where it serves
pages until a file `seen` is there. `homeshelf` is what comes first on
`PYTHONPATH`: without slices when this starts, so that whatever names one here cannot be loaded.
"""

import asyncio
import gc
import json
import os
import re
import socket
import sys
from collections.abc import Iterator
from functools import partialmethod
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any

import httpx
import jinja2
import uvicorn
from fastapi import FastAPI

ADA: dict[str, str | float | bool] = {"email": "ada@home.local", "password": "a fine engine"}
MADE: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("/locations", {"name": "Fridge"}, "locationId"),
    ("/stores", {"name": "Market"}, "storeId"),
    ("/items", {"name": "Milk", "quantity": 1, "threshold": 2}, "itemId"),
    ("/items/{itemId}/nfc-urls", {}, "urlId"),
    ("/shopping-list", {"name": "Bread"}, "shoppingItemId"),
    ("/shareables", {"name": "Camping", "items": [{"name": "Tent"}]}, "shortId"),
    ("/books", {"title": "Emma"}, "bookId"),
)
"""The endpoints that create records for pages about them."""


def main(templates: str, *modules: str) -> None:
    compiled = jinja2.FileSystemBytecodeCache(templates)
    cached = partialmethod(jinja2.Environment.__init__, bytecode_cache=compiled)
    jinja2.Environment.__init__ = cached  # type: ignore[method-assign, assignment]
    for module in modules:
        import_module(module)
    gc.freeze()
    gc.disable()
    for line in sys.stdin:
        process = os.fork()
        if not process:
            return _start(Path(line.rstrip("\n")))
        _, status = os.waitpid(process, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201  # to who asked
    return None


def _start(folder: Path) -> None:
    os.chdir(folder)
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT), number)
    invalidate_caches()
    sys.dont_write_bytecode = True  # another `app.py` will stand where this one does
    asyncio.run(_ask())
    doctor = import_module("homeshelf.commands.doctor")
    assert doctor.examine() == 0


async def _ask() -> None:
    app_module = import_module("homeshelf.app")
    names = [each.name for each in app_module.SLICES]
    app = app_module.create_app()
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            health = await client.get("/healthz")
            print("answers", health.status_code, *names)  # noqa: T201  # to who asked
            await _open_all(app, client)
            if "accounts" in names:
                await client.post("/api/v1/accounts", json=ADA | {"name": "Ada"})
                tokens = (await client.post("/api/v1/tokens", json=ADA)).json()
                client.headers["Authorization"] = "Bearer " + tokens["accessToken"]
            if "families" in names:
                await client.post("/api/v1/families", json={"name": "Lovelace"})
                await _open_all(app, client)
            ids = await _ids(client)
        await _serve(app, sorted({path for path in _paths(app, ids) if _is_page(path)}))


async def _open_all(app: FastAPI, client: httpx.AsyncClient) -> None:
    for path in _paths(app, {}):
        if path != "/api/v1/events":  # it does not end
            assert (await client.get(path)).status_code < 500, path


def _paths(app: FastAPI, ids: dict[str, str]) -> Iterator[str]:
    for route in app.routes:
        path, methods = getattr(route, "path", ""), getattr(route, "methods", None) or ()
        if "GET" in methods and {*re.findall(r"{(\w+)", path)} <= {*ids}:
            yield path.format(**ids)


def _is_page(path: str) -> bool:
    return not path.startswith(("/api/", "/static/", "/metrics"))


async def _ids(client: httpx.AsyncClient) -> dict[str, str]:
    ids = dict[str, str]()
    for path, body, name in MADE:
        if {*re.findall(r"{(\w+)}", path)} <= {*ids}:
            answer = await client.post(f"/api/v1{path.format(**ids)}", json=body)
            if answer.status_code == httpx.codes.CREATED:
                made = answer.json()
                ids[name] = made.get(name) or made["id"]
    return ids


async def _serve(app: FastAPI, pages: list[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_config=None))
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        _tell({"url": url, "pages": pages})
        while not _has_been_seen():  # noqa: ASYNC110  # another program's
            await asyncio.sleep(0.02)
        server.should_exit = server.force_exit = True
        await serving


def _tell(serving: dict[str, Any]) -> None:
    Path("serving.json.new").write_text(json.dumps(serving))
    Path("serving.json.new").rename("serving.json")


def _has_been_seen() -> bool:
    return Path("seen").exists()


if __name__ == "__main__":
    main(*sys.argv[1:])
