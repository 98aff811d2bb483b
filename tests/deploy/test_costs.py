"""The costs in `docs/aws.md` follow from measurements and the template."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench.units import NAMES
from homeshelf.inventory.model import QuantityChange
from homeshelf.shopping.model import Purchase
from homeshelf.table import TABLES, Database, Item, Record, key_in
from homeshelf.table.dynamodb.items import to_wire
from homeshelf.table.schema import Table
from homeshelf.table.sqlite.engine import Sqlite
from scripts.aws import bill, family, figures, limits, page, prices
from tests.deploy.template import RESOURCES, TEMPLATE, Stack, of_type
from tests.forked_processes import run

OVERHEAD_BYTES = 100
"""The bytes that AWS adds to each item, in the table and in each index."""


def test_documented_costs_equal_the_calculation() -> None:
    _, heading, said = page.PAGE.read_text().partition(page.HEADING)
    assert heading + said == page.computed_part(), "`make fix` writes it"


def test_costs_of_a_day_use_measured_operations() -> None:
    assert family.DAY.keys() <= {*NAMES}
    found = figures.read()
    for what in family.DAY:
        assert family.cpu_of(found, what) > 0


def test_costs_of_a_known_day_equal_a_manual_calculation() -> None:
    """Every operation takes two read and three write units, and the family has no live updates."""
    found = {part: dict(each) for part, each in figures.read().items()}
    for what in NAMES:
        found["units"] |= {f"{what}, read units": 2.0, f"{what}, write units": 3.0}
    each = family.family(found, listening_hours=0)
    assert (each.requests, each.reads, each.writes) == (54, 108, 162)
    assert each.listening_reads == 0
    costs = bill.bill(1000, each, found)
    assert costs.writes == pytest.approx(1000 * 162 * (730 / 24) * 0.625 / 1_000_000)
    assert costs.total == pytest.approx(
        sum(value for name, value in vars(costs).items() if name not in ("families", "processes"))
    )


def test_more_families_need_more_processes_and_cost_less_each() -> None:
    found = figures.read()
    each = family.family(found)
    bills = [bill.bill(families, each, found) for families in page.SIZES]
    assert page.SIZES == (100, 10_000, 1_000_000)
    assert [costs.processes for costs in bills] == sorted(costs.processes for costs in bills)
    shares = [costs.total / costs.families for costs in bills]
    assert shares == sorted(shares, reverse=True)
    assert bills[0].processes == bill.LEAST_PROCESSES
    names = [limit.families for limit in limits.limits(each, found)]
    assert names == sorted(names)


def test_calculated_processes_equal_those_of_the_template() -> None:
    chosen = {name: each.get("Default") for name, each in TEMPLATE["Parameters"].items()}
    assert chosen["Cpu"] == bill.CORES * 1024
    task = Stack().of(RESOURCES["Task"]["Properties"])
    assert int(task["Memory"]) == bill.MEMORY_GB * 1024
    assert chosen["LeastProcesses"] == bill.LEAST_PROCESSES
    assert chosen["MostProcesses"] == limits.PROCESSES
    scaling = RESOURCES["ScalingByCpu"]["Properties"]
    target = scaling["TargetTrackingScalingPolicyConfiguration"]["TargetValue"]
    assert target == bill.BUSY * 100
    alarms = of_type("CloudWatch::Alarm").values()
    assert sum(len(each.get("Metrics", "01")) - 1 for each in alarms) == bill.METRICS
    most = bill.processes_for(page.SIZES[-1], family.family(figures.read()))
    assert most <= TEMPLATE["Parameters"]["MostProcesses"]["MaxValue"]
    assert len(RESOURCES["Balancer"]["Properties"]["Subnets"]) == bill.BALANCER_ADDRESSES
    assert prices.HOURS / 24 == prices.DAYS


async def test_storage_of_a_family_equals_the_estimate(tmp_path: Path) -> None:
    assert run(tmp_path, "demo", "--folder", str(tmp_path / "demo")).returncode == 0
    db = Database(Sqlite(tmp_path / "demo" / "homeshelf.db"))
    taken: Counter[str] = Counter()
    many: Counter[str] = Counter()
    try:
        for table in TABLES:
            found = await db.engine.scan(table, 100_000)
            for item in found.items:
                taken[kind(table, item)] += stored_bytes(table, item)
                many[kind(table, item)] += 1
    finally:
        await db.close()
    assert taken["rest"] == pytest.approx(family.FURNISHED_BYTES, rel=0.2)
    assert taken["history"] / many["history"] == pytest.approx(family.HISTORY_BYTES, rel=0.1)
    assert taken["purchase"] / many["purchase"] == pytest.approx(family.PURCHASE_BYTES, rel=0.1)


def kind(table: Table, item: Item) -> str:
    key = key_in(table, item)
    names: dict[str, type[Record]] = {"history": QuantityChange, "purchase": Purchase}
    return next((name for name, each in names.items() if each.matches_key(key)), "rest")


def stored_bytes(table: Table, item: Item) -> int:
    size = sum(len(name.encode()) + value_bytes(value) for name, value in to_wire(item).items())
    indexed = sum(index.partition in item and index.sort in item for index in table.indexes)
    return (size + OVERHEAD_BYTES) * (1 + indexed)


def value_bytes(wired: dict[str, Any]) -> int:
    """Return the size of an item as AWS counts it."""
    ((type_, value),) = wired.items()
    match type_:
        case "S":
            return len(value.encode())
        case "N":
            return len(value) // 2 + 2
        case "L":
            return 3 + sum(1 + value_bytes(each) for each in value)
        case "M":
            return 3 + sum(1 + len(name) + value_bytes(each) for name, each in value.items())
    return 1
