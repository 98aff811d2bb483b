"""The application: its slices, its routers and the parts that live as long as it does."""

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from fastapi import FastAPI

from homeshelf import (
    __version__,
    accounts,
    books,
    families,
    home,
    identity,
    inventory,
    notices,
    places,
    scanning,
    shares,
    shopping,
    stocktaking,
    suggestions,
    taps,
)
from homeshelf.access import require_somebody, required_caller
from homeshelf.access.view import shell_of_caller
from homeshelf.background import run_in_background
from homeshelf.config import Settings, read_settings
from homeshelf.coordination.signing_keys import watch_keys
from homeshelf.coordination.todos import Handler, run_todo_worker
from homeshelf.live.hub import Hub
from homeshelf.outbox.sending import LetterWriters, send_letters
from homeshelf.table import Database, open_database
from homeshelf.web import api_reference, assets, design, health, installable, openapi, problems
from homeshelf.web.forwarding import Forwarding, Hosts
from homeshelf.web.middleware import Middleware
from homeshelf.web.services import Services, open_services, set_services

SLICES = (  # in the order in which their routes are matched, the busiest first
    home.SLICE,
    stocktaking.SLICE,
    inventory.SLICE,
    shopping.SLICE,
    places.SLICE,
    notices.SLICE,
    suggestions.SLICE,
    books.SLICE,
    taps.SLICE,
    shares.SLICE,
    scanning.SLICE,
    families.SLICE,
    accounts.SLICE,
    identity.SLICE,
)


def create_app(settings: Settings | None = None, db: Database | None = None) -> FastAPI:
    """Create the application; it opens the database at its start unless one is given."""
    settings = settings or read_settings(os.environ)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as closing:  # closes every part, even if another one fails
            used = db
            if used is None:
                used = open_database(settings.database)
                closing.push_async_callback(used.close)
            if settings.metrics != "off":
                used.on_unreadable = health.count_unreadable
            services = await open_services(settings, used, SLICES)
            set_services(app, services)
            for each in SLICES:
                await each.start(services, closing)
            writers = {
                kind: partial(write, services)
                for each in services.all(LetterWriters)
                for kind, write in each.by_kind.items()
            }
            await closing.enter_async_context(
                run_in_background(
                    partial(run_todo_worker, services.db, todos_of(services)),
                    partial(send_letters, services.db, settings, writers),
                    partial(watch_keys, settings, services.db, services.signer),
                )
            )
            hub = Hub(services.db, settings.limit_streams)
            services.provide(Hub, hub)
            closing.push_async_callback(hub.close)
            yield

    app = FastAPI(
        title="Homeshelf",
        version=__version__,
        lifespan=lifespan,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    credentials = {name: scheme for each in SLICES for name, scheme in each.credentials.items()}
    app.openapi = partial(openapi.document, app, required_caller, credentials)  # type: ignore[method-assign]  # as FastAPI's docs do
    for each in SLICES:
        app.router.routes.extend(each.plain_routes)
    # Routes are added one by one, because an included router matches each path a second time.
    for router in (
        *(router for each in SLICES for router in each.first(settings)),
        *(router for each in SLICES for router in each.api),
        health.router,
        *(router for each in SLICES for router in each.pages),
        assets.router,
        installable.router,
        api_reference.router,
        *([design.router] if settings.design == "on" else []),
    ):
        app.router.routes.extend(router.routes)
    problems.install(app, shell_of_caller)
    app.add_middleware(
        Middleware,
        require_somebody=require_somebody,
        forwarding=Forwarding(settings.trusted_proxies),
        hosts=Hosts(settings.public_url, settings.hosts),
        language=settings.language,
        observe=None if settings.metrics == "off" else health.observe,
    )
    return app


def todos_of(services: Services) -> dict[str, Handler]:
    return {kind: do for each in SLICES for kind, do in each.todos(services).items()}
