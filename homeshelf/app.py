"""The application as data: its slices, what is around them, and what lives as long as it does."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from fastapi import FastAPI
from starlette.routing import Route

from homeshelf import __version__
from homeshelf.access import require_somebody
from homeshelf.accounts import api as accounts
from homeshelf.accounts import deletion, profile, settings_pages, unsubscribe_pages
from homeshelf.accounts import messages as account_messages
from homeshelf.accounts import pages as signing_in
from homeshelf.background import in_background
from homeshelf.books import api as books
from homeshelf.books import files_api as book_files
from homeshelf.books import files_pages as book_file_pages
from homeshelf.books import pages as book_pages
from homeshelf.books import removing as removing_books
from homeshelf.books import year_pages as book_year_pages
from homeshelf.books.importing import end_imports
from homeshelf.config import Settings, read_settings
from homeshelf.coordination.todos import Handler, keep_working
from homeshelf.families import api as families
from homeshelf.families import deciding, events, invitation_pages, news_letters
from homeshelf.families import messages as family_messages
from homeshelf.families import pages as family_pages
from homeshelf.families.news import news_handler
from homeshelf.home import pages as home
from homeshelf.identity import api as identity
from homeshelf.identity import pages as identity_pages
from homeshelf.inventory import api as inventory
from homeshelf.inventory import delete_pages as item_delete_pages
from homeshelf.inventory import notices as item_notices
from homeshelf.inventory import pages as stock_pages
from homeshelf.inventory.store import forget
from homeshelf.live.hub import Hub
from homeshelf.notices import api as notices
from homeshelf.notices import pages as notice_pages
from homeshelf.outbox.model import Letter, Message
from homeshelf.outbox.news import TELL
from homeshelf.outbox.sending import keep_sending
from homeshelf.places import api as places
from homeshelf.places import pages as place_pages
from homeshelf.places.store import reopen_forgotten
from homeshelf.shares import api as shares
from homeshelf.shares import pages as share_pages
from homeshelf.shares import todos as share_todos
from homeshelf.shopping import api as shopping
from homeshelf.shopping import pages as list_pages
from homeshelf.suggestions import api as suggestions
from homeshelf.suggestions import news as suggestion_news
from homeshelf.suggestions import pages as wish_pages
from homeshelf.table import Database
from homeshelf.table.opening import open_database
from homeshelf.taps import api as taps
from homeshelf.taps import endpoint as tap_page
from homeshelf.taps import labels as tag_labels
from homeshelf.taps import pages as tag_pages
from homeshelf.taps.counting import AccessCounts
from homeshelf.taps.following import FOLLOWS_ITEM, RENAME_TAGS, rename_tags
from homeshelf.taps.page_lookup import PageLookup
from homeshelf.taps.request_lines import ROUTE, RequestLines
from homeshelf.web import assets, design, installable, metrics, problems
from homeshelf.web import health as operations
from homeshelf.web.application import Application
from homeshelf.web.forwarding import Forwarding
from homeshelf.web.hosts import Hosts
from homeshelf.web.middleware import Middleware
from homeshelf.web.services import Services, open_services

API = (  # what is asked most comes first: they are looked through from here
    inventory.router,
    shopping.router,
    places.router,
    notices.router,
    suggestions.router,
    book_files.router,
    books.router,
    taps.router,
    shares.router,
    families.router,
    accounts.router,
    events.router,
)
PAGES = (
    home.router,
    signing_in.router,
    settings_pages.router,
    family_pages.router,
    invitation_pages.router,
    stock_pages.router,
    item_delete_pages.router,
    place_pages.router,
    notice_pages.router,
    list_pages.router,
    wish_pages.router,
    book_file_pages.router,
    book_year_pages.router,
    book_pages.router,
    tag_pages.router,
    tag_labels.router,
    share_pages.router,
    unsubscribe_pages.router,
    assets.router,
    installable.router,
)
FOLLOWING_ITEMS = (FOLLOWS_ITEM,)
TODOS: dict[str, Handler] = {
    deletion.KIND: deletion.finish,
    profile.KIND: profile.finish_renaming,
    deciding.KIND: deciding.revoke_theirs,
    "reopen_place": reopen_forgotten,
    RENAME_TAGS: rename_tags,
    "item_removed": partial(forget, FOLLOWING_ITEMS),
    removing_books.KIND: removing_books.finish,
    **share_todos.HANDLERS,
}
TOPICS = {**suggestion_news.TOPICS, **item_notices.TOPICS}
LETTERS: dict[str, Callable[[Services, Letter], Awaitable[Message | None]]] = {
    "verify": account_messages.write_verification,
    "reset": account_messages.write_reset,
    "password_changed": account_messages.write_password_changed,
    "invitation": family_messages.write_invitation,
    "news": partial(news_letters.write_news, TOPICS),
    "daily": partial(news_letters.write_daily, TOPICS),
}


def create_app(settings: Settings | None = None, db: Database | None = None) -> Application:
    """The whole of Homeshelf; the database is opened when it starts, unless one is given."""
    settings = settings or read_settings(os.environ)
    observe = None if settings.metrics == "off" else metrics.observe
    lines = RequestLines(observe)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as closing:  # closes each, whatever the others do
            used = db
            if used is None:
                used = open_database(settings.database)
                closing.push_async_callback(used.close)
            services = app.state.services = await open_services(settings, used)
            if services.identity is not None:
                closing.push_async_callback(services.identity.close)
            if settings.metrics != "off":
                used.on_unreadable = metrics.count_unreadable
            todos = partial(keep_working, used, TODOS | {TELL: news_handler(services, TOPICS)})
            writers = {kind: partial(write, services) for kind, write in LETTERS.items()}
            letters = partial(keep_sending, used, settings, writers)
            counts = app.state.access_counts = AccessCounts(used)
            app.state.page_lookup = PageLookup(used)
            closing.callback(lines.write)
            await closing.enter_async_context(in_background(todos, letters, counts.keep))
            app.state.imports = set()
            closing.push_async_callback(end_imports, app.state.imports)
            app.state.hub = Hub(used, settings.limit_streams)
            closing.push_async_callback(app.state.hub.close)
            yield

    app = Application(
        title="Homeshelf",
        version=__version__,
        lifespan=lifespan,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    if settings.oidc_issuer is not None:  # first, because it hides what it replaces
        app.router.routes.extend(identity.router.routes)
        app.router.routes.extend(identity_pages.router.routes)
    # Side by side: a router that is included looks at each path, and at each signature, again.
    for router in (*API, operations.router, *PAGES):
        app.router.routes.extend(router.routes)
    if settings.design == "on":
        app.router.routes.extend(design.router.routes)
    problems.install(app)
    forwarding = Forwarding(settings.trusted_proxies)
    hosts = Hosts(settings.public_url, settings.hosts)
    app.add_middleware(
        Middleware,
        require_somebody=require_somebody,
        forwarding=forwarding,
        hosts=hosts,
        observe=observe,
    )
    tap = tap_page.TapEndpoint(forwarding, hosts, lines)
    app.router.routes.append(Route(ROUTE, tap, methods=tap_page.METHODS))
    app.lead_straight(tap_page.START, tap)
    app.state.following_items = FOLLOWING_ITEMS
    return app
