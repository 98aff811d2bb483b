"""Queries for a prefix on DynamoDB servers."""

from dataclasses import replace

import pytest

from homeshelf.clock import new_id
from homeshelf.config.addresses import Prefixes
from homeshelf.table.operations import Prefix
from tests.servers import Server
from tests.table.faulty_engines import LONG, opened
from tests.table.proxy import open_proxy
from tests.table.support import Place, list_sort_keys


@pytest.mark.parametrize(
    ("prefixes", "asked"), [("begins_with", "begins_with("), ("range", "BETWEEN")]
)
async def test_address_selects_the_form_of_prefix_queries(
    dynoxide: Server, home: Place, prefixes: Prefixes, asked: str
) -> None:
    async with open_proxy(dynoxide.endpoint) as proxy:
        engine = opened(
            replace(dynoxide, prefixes=prefixes), proxy.endpoint, f"{new_id()}.", LONG, LONG
        )
        await engine.create_tables()
        await engine.write(home.put("milk"))
        before = len(proxy.seen)
        assert list_sort_keys((await engine.query(home.all(Prefix("mi")))).items) == ["milk"]
        assert await engine.count(home.all(Prefix("mi"))) == 1
        conditions = [request.json["KeyConditionExpression"] for request in proxy.seen[before:]]
        assert [asked in condition for condition in conditions] == [True, True]
        await engine.close()
