"""The whole application around a database, and people who use it.

    async with running_app(database, signup="invited") as running:
        ada = await running.person("ada")
        answer = await ada.patch("/me", {"name": "Ada"})

Paths are those of the JSON API, without its base; `visitor.client` reaches everything else.
"""

import sys
from asyncio import gather
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import cache
from threading import Event
from typing import Any

import httpx
from fastapi import FastAPI

from homeshelf import clock
from homeshelf.accounts import passwords
from homeshelf.accounts.limits import AccountLimits
from homeshelf.accounts.model import SESSION_SECONDS, Account, EmailClaim, Session, digest_of_email
from homeshelf.app import create_app, todos_of
from homeshelf.config import read_settings
from homeshelf.coordination.todos import Handler
from homeshelf.signing import Signer
from homeshelf.table import Database
from homeshelf.web.limits import HASHED_AT_ONCE, Limits
from homeshelf.web.services import Services, services_of
from tests.page_rules import require_valid_page
from tests.routes import require_as_published

# httpx looks for it at each request, and to look for what is not there takes a while.
sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type]  # how an import is made to fail

PASSWORD = "correct horse battery"
HOST = "home.test"
SETTINGS = read_settings(
    {
        "HOMESHELF_SECRET": "the secret of the tests, which is long enough",
        "HOMESHELF_HOSTS": HOST,
    }
)


class Visitor:
    """A person with a browser at one IP address."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client

    async def get(self, path: str, **options: Any) -> httpx.Response:
        return await self.ask("GET", path, **options)

    async def post(self, path: str, json: Any = None, **options: Any) -> httpx.Response:
        return await self.ask("POST", path, json, **options)

    async def patch(self, path: str, json: Any = None, **options: Any) -> httpx.Response:
        return await self.ask("PATCH", path, json, **options)

    async def put(self, path: str, json: Any = None, **options: Any) -> httpx.Response:
        return await self.ask("PUT", path, json, **options)

    async def delete(self, path: str, json: Any = None, **options: Any) -> httpx.Response:
        return await self.ask("DELETE", path, json, **options)

    async def ask(
        self, method: str, path: str, json: Any = None, *, key: str | None = None, **options: Any
    ) -> httpx.Response:
        """Send a request; `key` is the idempotency key, the other options are httpx's."""
        headers = dict(options.pop("headers", None) or {})
        if key is not None:
            headers["Idempotency-Key"] = key
        if json is not None:
            options["json"] = json
        answer = await self.client.request(method, f"/api/v1{path}", headers=headers, **options)
        require_as_published(answer)
        return answer

    def bear(self, access_token: str) -> None:
        self.client.headers["Authorization"] = f"Bearer {access_token}"


class Person(Visitor):
    """A signed-in person."""

    def __init__(self, client: httpx.AsyncClient, account: Account, session: Session) -> None:
        super().__init__(client)
        self.account = account
        self.member_id = account.member_id
        self.name = account.name
        self.email = account.email
        self.password = PASSWORD
        self.session_id = session.session_id


class RunningApp:
    def __init__(self, app: FastAPI, db: Database, stack: AsyncExitStack) -> None:
        self.app = app
        self.db = db
        self._stack = stack

    @property
    def services(self) -> Services:
        return services_of(self.app)

    @property
    def signer(self) -> Signer:
        return self.services.signer

    @property
    def todos(self) -> dict[str, Handler]:
        return todos_of(self.services)

    def visitor(self, address: str = "203.0.113.7", *, scheme: str = "http") -> Visitor:
        return Visitor(self._client(address, scheme))

    async def person(
        self, name: str, *, verified: bool = False, address: str = "203.0.113.7"
    ) -> Person:
        account = Account(
            member_id=clock.new_id(),
            email=f"{name}@home.local",
            email_verified=verified,
            name=name,
            password_hash=_hash_of_the_password(passwords.MEMORY_KIB),
            origin="password",
            created_at=clock.timestamp(),
            updated_at=clock.timestamp(),
        )
        claim = EmailClaim(email_digest=digest_of_email(account.email), holder=account.member_id)
        session = await self.session_of(account.member_id, account, claim)
        person = Person(self._client(address, "http"), account, session)
        person.bear(self.access_token(account.member_id, session.session_id))
        return person

    async def session_of(self, member_id: str, *also: Account | EmailClaim) -> Session:
        session = Session(
            session_id=clock.ordered_id(),
            member_id=member_id,
            device="a test",
            created_at=clock.timestamp(),
            last_used_at=clock.timestamp(),
            ttl=clock.seconds() + SESSION_SECONDS,
        )
        await self.db.batch([record.put() for record in (session, *also)])
        return session

    def access_token(self, member_id: str, session_id: str, **claims: Any) -> str:
        return self.signer.token("access", 900, sub=member_id, sid=session_id, **claims)

    def _client(self, address: str, scheme: str) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(self.app, client=(address, 50000))
        client = httpx.AsyncClient(
            transport=transport,
            base_url=f"{scheme}://{HOST}",
            event_hooks={"response": [require_valid_page]},
        )
        self._stack.push_async_callback(client.aclose)
        return client


@asynccontextmanager
async def running_app(database: Database, **settings: Any) -> AsyncIterator[RunningApp]:
    app = create_app(replace(SETTINGS, **settings), database)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(app.router.lifespan_context(app))
        yield RunningApp(app, services_of(app).db, stack)


def under(db: Database, **settings: Any) -> Database:
    return db.under(replace(SETTINGS, **settings))


def problem_of(answer: httpx.Response) -> tuple[int, str]:
    """Return the status and code of an error response."""
    assert answer.headers["content-type"] == "application/problem+json"
    problem: Mapping[str, Any] = answer.json()
    assert problem["status"] == answer.status_code
    assert {"type", "title", "detail"} < problem.keys()
    return answer.status_code, problem["code"]


@cache
def _hash_of_the_password(_cost: int) -> str:
    return passwords.hash_password_blocking(PASSWORD)


@asynccontextmanager
async def busy_hashing_threads(running: RunningApp) -> AsyncIterator[None]:
    limits: Limits = running.services.limits
    begun, over = [Event() for _ in range(HASHED_AT_ONCE)], Event()

    async def occupy(here: Event) -> None:
        def work() -> None:
            here.set()
            over.wait(30)

        with limits.of(AccountLimits).trusted.place() as lane:
            await lane.run(work)

    busy = gather(*(occupy(here) for here in begun))
    try:
        yield
    finally:
        over.set()
        await busy
