"""The request and caller of a page, as a type in the signature.

    async def places_page(view: MemberView)    any active member of the family
    view.who, view.db, view.services           the caller, the database, the services
    await view.form(NewStore)                  the submitted form
    await view.page("places/places.html")      the page in its shell

Handlers with `AnyView` or `Visit` are public; `Visit` shows a signed-in caller their shell.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Depends, Request, Response

from homeshelf.access import (
    Admin,
    InFamily,
    Member,
    Person,
    SignedIn,
    Suggester,
    Ticker,
    in_family,
    signed_in,
)
from homeshelf.access.authentication import Membership
from homeshelf.access.families import families_of
from homeshelf.errors import HomeshelfError, Unauthenticated
from homeshelf.table import Database, TableError
from homeshelf.web.body import Body
from homeshelf.web.forms import Form, parse_form
from homeshelf.web.pages import page
from homeshelf.web.services import Services, services_of
from homeshelf.web.shell import Shell
from homeshelf.web.wording import COUNTED


async def counts(
    services: Services,
    family_id: str,
    at_most: int | None = None,
    known: Mapping[str, int] | None = None,
) -> dict[str, int]:
    """Return the counts beside the tabs."""
    known = known or {}
    asked = {
        name: query
        for each in services.slices
        for name, query in each.counts.items()
        if name not in known
    }
    found = await asyncio.gather(
        *(services.db.count(query(family_id), at_most) for query in asked.values())
    )
    return dict(zip(asked, found, strict=True)) | {**known}


Who_co = TypeVar("Who_co", bound=SignedIn | None, covariant=True)
B = TypeVar("B", bound=Body)


@dataclass(frozen=True)
class View(Generic[Who_co]):
    request: Request
    who: Who_co

    @property
    def services(self) -> Services:
        return services_of(self.request)

    @property
    def db(self) -> Database:
        return self.services.db

    async def form(self, model: type[B]) -> Form[B]:
        return await parse_form(self.request, model)

    async def page(self, name: str, status: int | None = None, /, **context: Any) -> Response:
        """Render a page, with status 400 if one of its forms is wrong."""
        is_wrong = any(isinstance(each, Form) and each.wrong for each in context.values())
        if "shell" not in context:
            context["shell"] = await self.shell()
        return page(self.request, name, status or (400 if is_wrong else 200), **context)

    async def shell(self, **known: int) -> Shell:
        """Return the shell of the page; `known` are counts that the page has made itself."""
        who: SignedIn | None = self.who
        if who is None:
            return Shell()
        slices = self.services.slices
        empty = Shell(
            who.account,
            tabs=[each.tab for each in slices if each.tab],
            entries=[entry for each in slices for entry in each.menu],
            add_buttons=[each.add_button for each in slices if each.add_button],
        )
        membership = who.membership
        if membership is None:
            try:
                membership = (await in_family(self.request)).membership
            except HomeshelfError:
                return empty
        return replace(
            empty,
            family_name=await families_of(self.services).name_of(self.db, membership.family_id),
            family_id=membership.family_id,
            role=membership.role,
            picture=membership.picture or "",
            counts=await counts(self.services, membership.family_id, COUNTED, known)
            | await self._own_counts(who.member_id, membership, known),
            lags=not self.db.engine.reads_at_once,
        )

    async def _own_counts(
        self, member_id: str, membership: Membership, known: Mapping[str, int]
    ) -> dict[str, int]:
        return {
            name: await own.count(self.db, membership.family_id, member_id)
            for each in self.services.slices
            for name, own in each.own_counts.items()
            if own.role == membership.role and name not in known
        }


class Visitor(View[None]):
    """A view for any caller, which shows a signed-in one their own shell."""

    async def shell(self, **known: int) -> Shell:
        try:
            return await View(self.request, await signed_in(self.request)).shell(**known)
        except Unauthenticated:
            return Shell()


async def shell_of_caller(request: Request) -> Shell:
    """Return the caller's shell for an error page, or an anonymous one if it can't be read."""
    try:
        return await Visitor(request, None).shell()
    except (HomeshelfError, TableError):
        return Shell()


async def _for_any_caller(request: Request) -> View[None]:
    return View(request, None)


async def _for_visitor(request: Request) -> Visitor:
    return Visitor(request, None)


async def for_person(request: Request, who: Person) -> View[SignedIn]:
    return View(request, who)


async def for_member(request: Request, who: Member) -> View[InFamily]:
    return View(request, who)


async def for_admin(request: Request, who: Admin) -> View[InFamily]:
    return View(request, who)


async def for_suggester(request: Request, who: Suggester) -> View[InFamily]:
    return View(request, who)


async def for_ticker(request: Request, who: Ticker) -> View[InFamily]:
    return View(request, who)


AnyView = Annotated[View[None], Depends(_for_any_caller)]
Visit = Annotated[Visitor, Depends(_for_visitor)]
PersonView = Annotated[View[SignedIn], Depends(for_person)]
MemberView = Annotated[View[InFamily], Depends(for_member)]
AdminView = Annotated[View[InFamily], Depends(for_admin)]
TickerView = Annotated[View[InFamily], Depends(for_ticker)]
