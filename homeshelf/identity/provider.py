"""Check the tokens of the identity provider and read their claims."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TypeGuard

from homeshelf import clock
from homeshelf.config import Settings
from homeshelf.errors import Unauthenticated
from homeshelf.identity.metadata import Metadata, MetadataCache, matching_keys
from homeshelf.identity.model import SUBJECT_LENGTH, Claims, parse_claims
from homeshelf.identity.provider_http import (
    ProviderClient,
    ProviderUnavailable,
    provider_errors_as_503,
)
from homeshelf.sentences import _

LEEWAY_SECONDS = 30


class Provider:
    def __init__(self, issuer: str, audience: str, client_id: str, secret: str | None) -> None:
        self.issuer = issuer
        self.audience = audience
        self.client_id = client_id
        self.secret = secret
        self.http = ProviderClient()
        self.metadata = MetadataCache(self._fetch)

    async def read_access_token(self, token: str) -> Claims:
        claims = await self._verified_claims(token)
        audience = claims.get("aud")
        if audience is None and claims.get("token_use") == "access":  # Cognito
            audience = claims.get("client_id")
        if self.audience not in _as_list(audience):
            raise Unauthenticated
        return parse_claims(self.issuer, claims)

    async def read_id_token(self, id_token: str, nonce: str) -> Claims:
        claims = await self._verified_claims(id_token)
        audiences = _as_list(claims.get("aud"))
        party = claims.get("azp", self.client_id if len(audiences) == 1 else None)
        is_ours = self.client_id in audiences and party == self.client_id
        if not is_ours or claims.get("nonce") != nonce:
            raise Unauthenticated
        return parse_claims(self.issuer, claims)

    async def add_user_info(self, claims: Claims, access_token: str) -> Claims:
        """Request the address and the name if the token has none."""
        if claims.email and claims.name:
            return claims
        with suppress(ProviderUnavailable):
            if at := (await self.metadata.get()).user_info:
                self.http.require_responsive()
                return claims.with_user_info(await self.http.get_json(at, access_token))
        return claims

    async def _verified_claims(self, token: str) -> Mapping[str, Any]:
        """Return the claims of a token with a valid signature, issuer and time."""
        from homeshelf.identity import tokens  # noqa: PLC0415  # 10 MB that most never need

        algorithm, key_id = tokens.header_of(token)
        with provider_errors_as_503():
            metadata = await self.metadata.get(
                lambda known: bool(matching_keys(known.keys, algorithm, key_id))
            )
        for claims in tokens.claims_of(token, metadata.keys, algorithm, key_id):
            if claims.get("iss") == metadata.issuer and _is_valid(claims):
                return claims
        raise Unauthenticated

    async def _fetch(self) -> Metadata:
        async with self.http.time_limit():
            at = f"{self.issuer}/.well-known/openid-configuration"
            document = await self.http.get_json(at)
            issuer = document.get("issuer")
            if not isinstance(issuer, str) or issuer.rstrip("/") != self.issuer:
                raise ProviderUnavailable(f"{at} describes another issuer: {issuer!r}")
            keys_at = self._address(document, "jwks_uri")
            if keys_at is None:
                raise ProviderUnavailable(f"{at} does not say where the keys are")
            keys = (await self.http.get_json(keys_at)).get("keys")
        methods = document.get("token_endpoint_auth_methods_supported")
        return Metadata(
            issuer,
            [key for key in keys if isinstance(key, dict)] if isinstance(keys, list) else [],
            self._address(document, "authorization_endpoint"),
            self._address(document, "token_endpoint"),
            self._address(document, "userinfo_endpoint"),
            methods if isinstance(methods, list) else ["client_secret_basic"],
        )

    def _address(self, document: Mapping[str, Any], name: str) -> str | None:
        """Return an endpoint if its scheme is as safe as the issuer's."""
        scheme = self.issuer.partition(":")[0]
        found = document.get(name)
        return found if isinstance(found, str) and found.startswith(f"{scheme}://") else None


def provider_of(settings: Settings) -> Provider | None:
    issuer, audience = settings.oidc_issuer, settings.oidc_audience
    if issuer is None or audience is None:
        return None
    return Provider(
        issuer, audience, settings.oidc_client_id or audience, settings.oidc_client_secret
    )


def _is_valid(claims: Mapping[str, Any]) -> bool:
    now = clock.seconds()
    subject, expires = claims.get("sub"), claims.get("exp")
    if (
        not isinstance(subject, str)
        or not 1 <= len(subject) <= SUBJECT_LENGTH
        or "events" in claims
    ):
        return False
    if not _is_number(expires) or now >= expires + LEEWAY_SECONDS:
        return False
    starts = (claims.get(name, now) for name in ("nbf", "iat"))
    return all(_is_number(start) and start <= now + LEEWAY_SECONDS for start in starts)


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _as_list(audience: Any) -> list[Any]:
    return audience if isinstance(audience, list) else [audience]


async def check_provider(settings: Settings) -> tuple[str, bool]:
    """Describe the provider for `homeshelf doctor`, and whether it works."""
    provider = provider_of(settings)
    if provider is None:
        return "people sign in here, with a password.", True
    try:
        metadata = await provider.metadata.get()
    except ProviderUnavailable as unavailable:
        return _(
            "Can’t reach the sign-in provider {issuer}: {away}.",
            issuer=provider.issuer,
            away=unavailable,
        ), False
    if not metadata.keys:
        return _("{issuer} has no keys to check its tokens with.", issuer=provider.issuer), False
    if metadata.authorization is None or metadata.token is None:
        return _("{issuer} doesn’t say where to sign in.", issuer=provider.issuer), False
    return _("{issuer} manages sign-in.", issuer=provider.issuer), True
