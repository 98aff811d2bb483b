from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, RSAKey

from homeshelf.errors import Unauthenticated
from homeshelf.identity.metadata import ALGORITHMS, Published, matching_keys

TYPES = ("jwt", "at+jwt", "application/at+jwt", "application/jwt")
"""The accepted `typ` headers: access tokens and ID tokens."""
_KEYS: dict[str, type[RSAKey] | type[ECKey]] = {"RSA": RSAKey, "EC": ECKey}


def header_of(token: str) -> tuple[str, str | None]:
    """Return the algorithm and the key id; refuse unknown algorithms."""
    try:
        header = jws.extract_compact(token.encode()).headers()
    except (JoseError, ValueError):
        raise Unauthenticated from None
    algorithm, key_id = header.get("alg"), header.get("kid")
    kind = header.get("typ", "JWT")
    is_known = isinstance(kind, str) and kind.lower() in TYPES
    if not is_known or algorithm not in ALGORITHMS or not isinstance(key_id, str | None):
        raise Unauthenticated
    return algorithm, key_id


def claims_of(
    token: str, published: Published, algorithm: str, key_id: str | None
) -> Iterator[Mapping[str, Any]]:
    """Yield the claims once for each key that verifies the token."""
    kind = _KEYS[ALGORITHMS[algorithm]]
    for key in matching_keys(published, algorithm, key_id):
        with suppress(
            JoseError, ValueError, TypeError, KeyError
        ):  # the key is malformed or another one
            yield jwt.decode(token, kind.import_key(dict(key)), algorithms=[algorithm]).claims
