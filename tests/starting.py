"""A program that has loaded what knows no slice, and starts with those that a folder has by then.

It reads lines, each a folder to run in, forks for each, and answers with how that ended. What the
one that it forked says is in `stdout` and `stderr` there. `homeshelf` is what comes first on
`PYTHONPATH`: without slices when this starts, so that whatever names one here cannot be loaded.
"""

import asyncio
import gc
import os
import sys
from functools import partialmethod
from importlib import import_module, invalidate_caches
from pathlib import Path

import httpx
import jinja2
from fastapi import FastAPI

ADA = {"email": "ada@home.local", "password": "a fine engine"}


def main(templates: str, *modules: str) -> None:
    """With a folder for templates, which are the same with fewer slices: compiled once for all."""
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


async def _open_all(app: FastAPI, client: httpx.AsyncClient) -> None:
    for route in app.routes:
        path, methods = getattr(route, "path", ""), getattr(route, "methods", None) or ()
        if "GET" in methods and "{" not in path and getattr(route, "name", "") != "events":
            assert (await client.get(path)).status_code < 500, path


if __name__ == "__main__":
    main(*sys.argv[1:])
