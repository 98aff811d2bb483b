"""The types of callers in signatures."""

from typing import Any, get_args, get_origin

import pytest

from homeshelf.access import Caller
from homeshelf.access.view import View
from homeshelf.accounts.callers import Person, PersonView
from homeshelf.families.callers import (
    Admin,
    AdminView,
    Member,
    MemberView,
    Suggester,
    SuggesterView,
)
from homeshelf.table import Record
from homeshelf.web.requests import API
from tests.home import Home

DECLARED = {
    "person": Person,
    "person view": PersonView,
    "member": Member,
    "member view": MemberView,
    "admin": Admin,
    "admin view": AdminView,
    "suggester": Suggester,
    "suggester view": SuggesterView,
}


@pytest.mark.parametrize("name", DECLARED)
async def test_caller_holds_the_records_that_the_signature_names(home: Home, name: str) -> None:
    arrived: list[Any] = []
    kind, dependency = get_args(DECLARED[name])

    async def record_call(given: Any = dependency) -> None:
        arrived.append(given)

    home.running.app.add_api_route(f"{API}/look", record_call)
    kid = await home.with_member("kid", "suggester")
    is_for_kids = name.startswith("suggester")
    assert (await (kid if is_for_kids else home.admin).get("/look")).is_success
    [found] = arrived
    if get_origin(kind) is View:
        [kind], found = get_args(kind), found.who
    assert type(found) is Caller is get_origin(kind)
    held = (found.account, found.session, found.membership)
    records = [
        (each, value)
        for each, value in zip(get_args(kind), held, strict=True)
        if isinstance(each, type) and issubclass(each, Record)
    ]
    assert len(records) == (2 if name.startswith("person") else 3)
    assert all(type(value) is each for each, value in records)
