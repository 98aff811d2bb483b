"""The limits, memory and certificate files of the machine."""

import ctypes
import gc
import resource
import ssl
from contextlib import suppress
from pathlib import Path

MOST_CONNECTIONS = 8192
KEPT_FREE = 256
"""Files for the database and everything else; a quarter of a small limit."""


def max_connections() -> int:
    """Raise the limit of open files as far as allowed; return how many may be connections."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # some systems name a hard limit that they do not allow
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return min(soft - min(KEPT_FREE, soft // 4), MOST_CONNECTIONS)


def give_memory_back() -> None:
    """Collect requests that were cut off, which are cyclic garbage, and trim the heap."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def load_certificate(certificate: Path, key: Path) -> ssl.SSLContext:
    """Load a certificate and its key; raise OSError or ValueError for files that do not fit."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["http/1.1"])
    context.load_cert_chain(certificate, key, password="")  # OpenSSL would ask for it
    return context
