"""One item that everybody adjusts at the same time: none is lost, and nobody waits for long."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from statistics import quantiles
from time import perf_counter

from bench import sample
from bench.report import Report
from bench.server import Connection, serving

PEOPLE, EACH = 50, 20
WAIT_AT_MOST_SECONDS = 1.0
CPU_AT_MOST_SECONDS = 0.001


def run(report: Report) -> None:
    report.section(f"{PEOPLE} people, {EACH} adjustments each, of one item")
    with serving() as server:
        home = server.household()
        (item,) = sample.items(home.family_id, home.member_id, 1)
        asyncio.run(server.seed([item]))
        path = f"/api/v1/items/{item.item_id}"
        connections = [home.connected() for _ in range(PEOPLE)]
        before = server.cpu_seconds()
        with ThreadPoolExecutor(PEOPLE) as people:
            waits = list(people.map(lambda connection: _adjust(connection, path), connections))
        cpu = (server.cpu_seconds() - before) / (PEOPLE * EACH)
        found = json.loads(connections[0].ask("GET", path))["quantity"]
        for connection in connections:
            connection.close()
    p95 = quantiles([wait for each in waits for wait in each], n=20)[-1]
    lost = PEOPLE * EACH - (found - item.quantity)
    report.bound("the wait of one, p95", p95, "{:.3f} s", at_most=WAIT_AT_MOST_SECONDS)
    report.bound("lost", lost, "{:.0f}", at_most=0)
    report.bound("server CPU each", cpu * 1e3, "{:.2f} ms", at_most=CPU_AT_MOST_SECONDS * 1e3)


def _adjust(connection: Connection, path: str) -> list[float]:
    waits = []
    for _ in range(EACH):
        began = perf_counter()
        connection.ask("POST", f"{path}/adjust", b'{"delta":1}')
        waits.append(perf_counter() - began)
    return waits
