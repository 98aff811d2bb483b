"""CPU and memory of a running process, as the system reports them."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

Mapping = tuple[str, str]
"""A mapped file with its offset, or the system's name for anonymous memory."""


def family(pid: int) -> list[int]:
    """Return the ids of the process and its children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


def cpu_seconds(pid: int) -> float:
    """Return the user and system time of all threads, exact to microseconds."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(each.read_text().split()[0]) for each in threads) / 1e9


def pss_bytes(pid: int) -> int:
    """Return the proportional set size: shared memory counts in parts."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def memory_alone(pid: int) -> int:
    """Return the memory that a program and its children would take on an otherwise idle machine.

    Anonymous memory counts by each process's share (`Pss`). A mapped file counts once, because
    other programs share the same Python and would otherwise take a part of it.
    """
    own = 0
    files: Counter[Mapping] = Counter()
    for each in family(pid):
        for mapping, sizes in _mappings(each):
            if mapping[0].startswith("/"):
                own += sizes["Anonymous"]
                files[mapping] = max(files[mapping], sizes["Rss"] - sizes["Anonymous"])
            else:
                own += sizes["Pss"]
    return 1024 * (own + sum(files.values()))


def _mappings(pid: int) -> Iterator[tuple[Mapping, dict[str, int]]]:
    """Yield each memory mapping of a process with its sizes in kB."""
    mapping, sizes = ("", ""), {"Anonymous": 0, "Rss": 0, "Pss": 0}
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        first, *rest = line.split(maxsplit=5)
        if not first.endswith(":"):
            yield mapping, sizes
            mapping, sizes = (rest[4] if len(rest) > 4 else "", rest[1]), {}
        elif rest[-1:] == ["kB"]:
            sizes[first[:-1]] = int(rest[0])
    yield mapping, sizes
