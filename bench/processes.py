"""What the system says of a running process."""

from pathlib import Path


def family(pid: int) -> list[int]:
    """The process and its children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


def cpu_seconds(pid: int) -> float:
    """Of all threads, in the program and in the system for it, exact to microseconds."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(each.read_text().split()[0]) for each in threads) / 1e9


def pss_bytes(pid: int) -> int:
    """Memory: what is shared counts in parts."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
