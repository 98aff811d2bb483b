"""Test a short run of the soak test."""

import xml.etree.ElementTree as ET
from dataclasses import replace

from soak.__main__ import Plan, run
from soak.chart import draw_charts
from soak.samples import LIMITS, Sample, verdicts


async def test_short_soak_run_has_no_failures() -> None:
    samples, measured = await run(Plan(minutes=0.1, rate=3000, seed=3))
    assert not measured.failures
    assert measured.request_count > 30
    assert samples[-1].hour == 48
    assert len(verdicts(samples)) == len(LIMITS)
    ET.fromstring(draw_charts(samples))  # noqa: S314  # it is ours


def test_growth_is_reported_and_stable_values_are_not() -> None:
    flat = [
        Sample(hour, 80_000_000, 9_000_000, 3_000_000, 30, 0.01, 0.05, 0.001, hour / 10, 100 * hour)
        for hour in range(1, 49)
    ]
    assert all(each.is_met for each in verdicts(flat))
    for name, much in (("memory", 1_000_000), ("files", 300_000), ("open_files", 1), ("p95", 0.05)):
        growing = [replace(it, **{name: getattr(it, name) + much * it.hour}) for it in flat]
        assert [each.is_met for each in verdicts(growing)].count(False) == 1, name
    first = [replace(it, memory=it.memory * 2) if it.hour < 24 else it for it in flat]
    assert all(each.is_met for each in verdicts(first)), "the first day does not count"
