"""How many files a process may have open: a connection is one."""

import resource
from contextlib import suppress

MOST_CONNECTIONS = 8192
KEPT_FREE = 256
"""For the database, and for whatever else opens one; of a small limit, a quarter."""


def raise_limit() -> None:
    """To what the system allows: many start programs with far less."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # some systems name a hard limit that they do not allow
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def most_connections() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return min(soft - min(KEPT_FREE, soft // 4), MOST_CONNECTIONS)
