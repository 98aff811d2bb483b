"""The provider's public keys."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from joserfc.errors import JoseError
from joserfc.jwk import ECKey, RSAKey

Key = RSAKey | ECKey
Published = Sequence[Mapping[str, Any]]
"""Keys as the provider shows them (JWK)."""

_KINDS: dict[str, tuple[str, type[RSAKey] | type[ECKey]]] = {
    "RS256": ("RSA", RSAKey),
    "ES256": ("EC", ECKey),
}
ALGORITHMS = tuple(_KINDS)


def fitting(published: Published, algorithm: str, key_id: str | None) -> Iterator[Key]:
    """The keys that a token may be signed with."""
    _, kind = _KINDS[algorithm]
    for key in among(published, algorithm, key_id):
        with suppress(JoseError, ValueError, TypeError, KeyError):  # not one of its kind
            yield kind.import_key(dict(key))


def among(published: Published, algorithm: str, key_id: str | None) -> Published:
    """The same as they are published."""
    name, _ = _KINDS[algorithm]
    return [
        key
        for key in published
        if key.get("kty") == name
        and key.get("use", "sig") == "sig"
        and key.get("alg", algorithm) == algorithm
        and key_id in (None, key.get("kid"))
    ]
