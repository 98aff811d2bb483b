"""Open-file limits, memory and certificates of the machine."""

import ctypes
import gc
import resource
import ssl
from contextlib import suppress
from pathlib import Path

MAX_CONNECTIONS = 8192
RESERVED_FILES = 256
"""Files kept for the database and other uses; at most a quarter of the limit."""


def max_connections() -> int:
    """Raise the limit of open files as far as allowed; return the number for connections."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # some systems refuse their own hard limit
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return min(soft - min(RESERVED_FILES, soft // 4), MAX_CONNECTIONS)


def give_memory_back() -> None:
    """Collect aborted requests, which are cyclic garbage, and trim the heap."""
    gc.collect()
    with suppress(AttributeError):  # only glibc has it
        ctypes.CDLL(None).malloc_trim(0)


def load_certificate(certificate: Path, key: Path) -> ssl.SSLContext:
    """Load a certificate and its key; raise OSError or ValueError for files that do not fit."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["http/1.1"])
    context.load_cert_chain(certificate, key, password="")  # or OpenSSL would prompt
    return context
