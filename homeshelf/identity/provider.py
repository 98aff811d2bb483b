"""The identity provider: what it says about itself, and what its tokens say about people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from joserfc import jws, jwt
from joserfc.errors import JoseError

from homeshelf import clock
from homeshelf.config import Settings
from homeshelf.errors import Unauthenticated
from homeshelf.identity.fetching import ProviderAway, get_json, in_reach
from homeshelf.identity.keys import ALGORITHMS, KeyRing
from homeshelf.identity.model import SUBJECT_LENGTH, Claims, claims_in

LEEWAY_SECONDS = 30
KNOWN_SECONDS = 3600
TYPES = ("jwt", "at+jwt", "application/at+jwt", "application/jwt")
"""What access and ID tokens call themselves; a token for anything else proves nothing here."""


@dataclass(frozen=True)
class Endpoints:
    """Where the provider answers, by its own description."""

    issuer: str
    keys: str
    authorization: str | None
    token: str | None
    user_info: str | None
    token_methods: Sequence[str]


class Provider:
    def __init__(self, issuer: str, audience: str, client_id: str, secret: str | None) -> None:
        self.issuer = issuer
        self.audience = audience
        self.client_id = client_id
        self.secret = secret
        self._endpoints: Endpoints | None = None
        self._known_until = 0
        self._keys = KeyRing(self._fetch_keys)

    async def bearer(self, token: str) -> Claims:
        """Who sends this token with a request."""
        with in_reach():
            said = await self._checked(token)
        audience = said.get("aud")
        if audience is None and said.get("token_use") == "access":  # Cognito names the client
            audience = said.get("client_id")
        if self.audience not in _listed(audience):
            raise Unauthenticated
        return claims_in(self.issuer, said)

    async def signed_in(self, id_token: str, nonce: str) -> Claims:
        """Who came back from the provider with this token."""
        with in_reach():
            said = await self._checked(id_token)
        audiences = _listed(said.get("aud"))
        party = said.get("azp", self.client_id if len(audiences) == 1 else None)
        if self.client_id not in audiences or party != self.client_id:
            raise Unauthenticated
        if said.get("nonce") != nonce:
            raise Unauthenticated
        return claims_in(self.issuer, said)

    async def completed(self, claims: Claims, access_token: str) -> Claims:
        """With the address and the name, where the token left them out and the provider tells."""
        if claims.email and claims.name:
            return claims
        try:
            endpoints = await self.endpoints()
            if endpoints.user_info is None:
                return claims
            return claims.completed(await get_json(endpoints.user_info, access_token))
        except ProviderAway:
            return claims

    async def endpoints(self) -> Endpoints:
        now = clock.seconds()
        if self._endpoints is None or now >= self._known_until:
            try:
                self._endpoints = await self._discover()
                self._known_until = now + KNOWN_SECONDS
            except ProviderAway:
                if self._endpoints is None:
                    raise
        return self._endpoints

    async def _checked(self, token: str) -> Mapping[str, Any]:
        """What a token says, if the provider signed it and its time has come and is not over."""
        algorithm, key_id = _header(token)
        for key in await self._keys.fitting(algorithm, key_id):
            try:
                said = jwt.decode(token, key, algorithms=[algorithm]).claims
            except (JoseError, ValueError):
                continue
            if said.get("iss") == (await self.endpoints()).issuer and _holds(said):
                return said
        raise Unauthenticated

    async def _fetch_keys(self) -> Mapping[str, Any]:
        return await get_json((await self.endpoints()).keys)

    async def _discover(self) -> Endpoints:
        at = f"{self.issuer}/.well-known/openid-configuration"
        said = await get_json(at)
        issuer = said.get("issuer")
        if not isinstance(issuer, str) or issuer.rstrip("/") != self.issuer:
            raise ProviderAway(f"{at} describes another issuer: {issuer!r}")
        keys = self._address(said, "jwks_uri")
        if keys is None:
            raise ProviderAway(f"{at} does not say where the keys are")
        methods = said.get("token_endpoint_auth_methods_supported")
        return Endpoints(
            issuer,
            keys,
            self._address(said, "authorization_endpoint"),
            self._address(said, "token_endpoint"),
            self._address(said, "userinfo_endpoint"),
            methods if isinstance(methods, list) else ["client_secret_basic"],
        )

    def _address(self, said: Mapping[str, Any], name: str) -> str | None:
        """As safe as the issuer's own."""
        scheme = self.issuer.partition(":")[0]
        found = said.get(name)
        return found if isinstance(found, str) and found.startswith(f"{scheme}://") else None


def provider_of(settings: Settings) -> Provider | None:
    issuer, audience = settings.oidc_issuer, settings.oidc_audience
    if issuer is None or audience is None:
        return None
    return Provider(
        issuer, audience, settings.oidc_client_id or audience, settings.oidc_client_secret
    )


def _header(token: str) -> tuple[str, str | None]:
    """The algorithm and the key's id; an algorithm that we do not take is refused here."""
    try:
        header = jws.extract_compact(token.encode()).headers()
    except (JoseError, ValueError):
        raise Unauthenticated from None
    algorithm, key_id = header.get("alg"), header.get("kid")
    kind = header.get("typ", "JWT")
    if algorithm not in ALGORITHMS or not isinstance(key_id, str | None):
        raise Unauthenticated
    if not isinstance(kind, str) or kind.lower() not in TYPES:
        raise Unauthenticated
    return algorithm, key_id


def _holds(said: Mapping[str, Any]) -> bool:
    now = clock.seconds()
    subject, expires = said.get("sub"), said.get("exp")
    if not isinstance(subject, str) or not 1 <= len(subject) <= SUBJECT_LENGTH or "events" in said:
        return False
    if not _is_number(expires) or now >= expires + LEEWAY_SECONDS:
        return False
    starts = (said.get(name, now) for name in ("nbf", "iat"))
    return all(_is_number(start) and start <= now + LEEWAY_SECONDS for start in starts)


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _listed(audience: Any) -> list[Any]:
    return audience if isinstance(audience, list) else [audience]
