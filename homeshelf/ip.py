"""IP addresses and networks in all their notations."""

import ipaddress
from collections.abc import Iterable
from functools import lru_cache

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_MAPPED_BITS = 96


@lru_cache(1024)  # most requests come from the same few addresses
def address(text: str) -> Address | None:
    """Parse `192.0.2.1`, `::1`, and with a port `192.0.2.1:80`, `[::1]:80`.

    An IPv4 address inside an IPv6 one, as dual-stack sockets name it, is returned as IPv4.
    """
    if text.startswith("["):
        text, bracket, port = text[1:].partition("]")
        if not bracket or (port and not _is_port(port)):
            return None
    elif text.count(":") == 1:
        text, _, port = text.partition(":")
        if not _is_port(f":{port}"):
            return None
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def network(text: str) -> Network:
    found = ipaddress.ip_network(text)
    inside = getattr(found.network_address, "ipv4_mapped", None)
    if inside is None or found.prefixlen < _MAPPED_BITS:
        return found
    return ipaddress.ip_network((inside, found.prefixlen - _MAPPED_BITS))


def plain(text: str) -> str:
    return str(address(text) or text)


def household(text: str) -> str:
    """Return the IPv4 address, or the /64 network of an IPv6 address."""
    found = address(text)
    if isinstance(found, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found or text)


def is_in(text: str, networks: Iterable[Network]) -> bool:
    found = address(text)
    return found is not None and any(found in network for network in networks)


def _is_port(text: str) -> bool:
    return text[0] == ":" and text[1:].isdecimal() and text.isascii() and int(text[1:]) < 65536
