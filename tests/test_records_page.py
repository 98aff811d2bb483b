"""Test that the page of records is generated from the current code."""

import inspect
import re
from pathlib import Path

import pytest

from homeshelf.shopping import store as shopping
from homeshelf.table import Record
from scripts.records_page import PAGE, page
from tests.records import REQUIRED_ATTRIBUTES

STORES = sorted(Path(inspect.getfile(shopping)).parents[1].glob("*/store.py"))


@pytest.fixture(scope="module")
def shown() -> str:
    return page()


def test_page_equals_the_generated_one(shown: str) -> None:
    assert PAGE.read_text() == shown, "run `make fix`"


@pytest.mark.parametrize("record", REQUIRED_ATTRIBUTES)
def test_every_record_is_on_the_page_with_its_keys(shown: str, record: type[Record]) -> None:
    section = shown.partition(f"\n### {record.__name__}\n")[2].partition("\n### ")[0]
    rows = re.findall(r"^\| `(\w+)` \| `(.+)` \|$", section, re.MULTILINE)
    assert dict(rows) == {name: text.replace("|", "\\|") for name, text in record.keys.items()}


@pytest.mark.parametrize("store", STORES, ids=lambda store: store.parent.name)
def test_every_query_function_is_on_the_page(shown: str, store: Path) -> None:
    names = re.findall(r"^def ([a-z]\w*)\([^)]*\) -> Query\[", store.read_text(), re.MULTILINE)
    for name in names:
        assert f"| `{store.parent.name}.store.{name}` |" in shown


def test_function_is_listed_with_its_keys(shown: str) -> None:
    pending = next(row for row in shown.splitlines() if "`shopping.store.pending_at_store`" in row)
    assert pending == (
        "| List pending by store. | `shopping.store.pending_at_store` | "
        "`GSI2PK` = `FAMILY#{familyId}#SHOPPING`, "
        "`GSI2SK` = `STORE#{storeId}#STATUS#pending` |"
    )
