"""TLS over a connection that is ours: what came is decrypted, what goes is encrypted.

asyncio's own layer tells of a connection only after its handshake, when it is too late to limit
how many wait for theirs, and keeps 256 kB for each.
"""

import ssl
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

AT_ONCE = 64 * 1024


def context_of(certificate: Path, key: Path) -> ssl.SSLContext:
    """Load a certificate and its key; raise OSError or ValueError for files that do not fit."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["http/1.1"])
    context.load_cert_chain(certificate, key, _refuse_password)
    return context


def _refuse_password() -> str:
    raise ValueError("the key has a password")


class Tls:
    """Raises ssl.SSLError where the other side does not speak it; what is to be sent then, too,
    is an alert."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._came, self._goes = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._object = context.wrap_bio(self._came, self._goes, server_side=True)
        self._is_shaken = False

    def decrypted(self, data: memoryview) -> Iterator[bytes]:
        self._came.write(data)
        try:
            if not self._is_shaken:
                self._object.do_handshake()
                self._is_shaken = True
            while chunk := self._object.read(AT_ONCE):
                yield chunk
        except ssl.SSLWantReadError:
            return

    def encrypted(self, data: bytes) -> bytes:
        rest = memoryview(data)
        while rest:
            rest = rest[self._object.write(rest) :]
        return self._goes.read()

    def to_send(self) -> bytes:
        """What the protocol itself has to say."""
        return self._goes.read()

    def closing(self) -> bytes:
        """The word that ends the connection, so that nobody takes it for cut off."""
        with suppress(ssl.SSLError):  # it waits for the other side's, which may never come
            self._object.unwrap()
        return self._goes.read()
