"""Check that one order explains all observations of a versioned record.

Each step of a client happens at one moment between its request and its response. Every write raises
the version by one, so the order is given: the write of version 5, the reads of 5, the write of 6,
the reads of 6. It is valid if no step was answered before the request of a step that comes earlier
in it, and if each version is the result of its write on the version before it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

IMPLICIT_FIELDS = frozenset({"version", "updatedAt", "ttl", "isLowStock"})
"""The fields that every write changes, besides the requested ones."""


@dataclass(frozen=True)
class ReadStep:
    """A record as a client saw it, by a read or in a refusal."""

    record: str
    asked_at: int
    answered_at: int
    version: int
    body: Mapping[str, Any] = field(default_factory=dict)

    @property
    def place(self) -> tuple[int, int]:
        """The place in the order."""
        return self.version, 1


@dataclass(frozen=True)
class RefusedStep(ReadStep):
    """A refusal because the record was not in the requested version."""

    wanted: int = 0


@dataclass(frozen=True)
class WriteStep(ReadStep):
    """A record as the client's own change made it."""

    given: Mapping[str, Any] = field(default_factory=dict)
    delta: int = 0
    """The requested change of its quantity."""
    wanted: int | None = None
    """The required version; None for any version."""

    @property
    def place(self) -> tuple[int, int]:
        return self.version, 0

    def of(self, before: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of this write on the version before it."""
        made = {**before, **self.given}
        return made | {"quantity": made["quantity"] + self.delta} if self.delta else made


def find_faults(steps: Iterable[ReadStep], doubtful: Mapping[str, int] | None = None) -> list[str]:
    """Return sentences about the steps that no order explains. `doubtful` is the number of
    unanswered writes of a record: each may have made a version with an unknown writer."""
    by_record: dict[str, list[ReadStep]] = defaultdict(list)
    for step in steps:
        by_record[step.record].append(step)
    return [
        f"{record}: {fault}"
        for record, own in by_record.items()
        for fault in _find_faults(own, (doubtful or {}).get(record, 0))
    ]


def _find_faults(steps: Sequence[ReadStep], doubtful: int) -> Iterator[str]:
    yield from _writes_of_wrong_version(steps)
    yield from _versions_without_one_writer(steps, doubtful)
    yield from _versions_with_two_bodies(steps)
    yield from _wrong_results(steps)
    yield from _steps_out_of_order(steps)


def _writes_of_wrong_version(steps: Sequence[ReadStep]) -> Iterator[str]:
    for step in steps:
        if isinstance(step, RefusedStep) and step.wanted == step.version:
            yield f"a change of version {step.wanted} was refused while it was current"
        if isinstance(step, WriteStep) and step.wanted not in (None, step.version - 1):
            yield f"a change of version {step.wanted} made version {step.version}"


def _versions_without_one_writer(steps: Sequence[ReadStep], doubtful: int) -> Iterator[str]:
    """Skip the first version seen, which may be older than the history."""
    writers: dict[int, int] = defaultdict(int)
    for step in steps:
        writers[step.version] += isinstance(step, WriteStep)
    for version, number in writers.items():
        if number > 1:
            yield f"version {version} was written {number} times"
    first, last = min(writers), max(writers)
    unknown = [each for each in range(first + 1, last + 1) if not writers.get(each)]
    if len(unknown) > doubtful:
        yield f"nobody wrote {len(unknown) - doubtful} of the versions {unknown}"


def _versions_with_two_bodies(steps: Sequence[ReadStep]) -> Iterator[str]:
    bodies: dict[int, Mapping[str, Any]] = {}
    for step in steps:
        if bodies.setdefault(step.version, step.body) != step.body:
            yield f"version {step.version} was {bodies[step.version]} and {step.body}"


def _wrong_results(steps: Sequence[ReadStep]) -> Iterator[str]:
    bodies = {step.version: step.body for step in steps}
    for step in steps:
        if isinstance(step, WriteStep) and (before := bodies.get(step.version - 1)) is not None:
            wanted, made = _unchanging_fields(step.of(before)), _unchanging_fields(step.body)
            if wanted != made:
                yield f"version {step.version} should be {wanted} and is {made}"


def _unchanging_fields(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in IMPLICIT_FIELDS}


def _steps_out_of_order(steps: Sequence[ReadStep]) -> Iterator[str]:
    """Find steps in the wrong order; the readers of one version may come in any order."""
    last: list[ReadStep] = []
    """The step with the latest request so far."""
    for _, group in groupby(sorted(steps, key=_position), _position):
        here = [*group]
        for step in here:
            if last and step.answered_at < last[0].asked_at:
                yield f"{_describe_step(step)} ended before {_describe_step(last[0])} began"
        last = [max((*last, *here), key=lambda step: step.asked_at)]


def _position(step: ReadStep) -> tuple[int, int]:
    return step.place


def _describe_step(step: ReadStep) -> str:
    what = "the write of" if isinstance(step, WriteStep) else "a look at"
    return f"{what} version {step.version}"
