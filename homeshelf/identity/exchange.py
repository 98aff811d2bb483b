"""The authorization code: where to get one, and what it is redeemed for."""

from dataclasses import dataclass, field
from urllib.parse import urlencode

import structlog

from homeshelf.identity.authorization import Authorization
from homeshelf.identity.fetching import ProviderAway
from homeshelf.identity.provider import Provider

SCOPES = "openid email profile"

log = structlog.get_logger()


@dataclass(frozen=True)
class Tokens:
    id_token: str = field(repr=False)
    access_token: str = field(repr=False)


async def address_to_go_to(provider: Provider, authorization: Authorization) -> str:
    at = (await provider.metadata()).authorization
    if at is None:
        raise ProviderAway("it does not say where people sign in")
    asked = {
        "response_type": "code",
        "client_id": provider.client_id,
        "redirect_uri": authorization.back_to,
        "scope": SCOPES,
        "state": authorization.state,
        "nonce": authorization.nonce,
        "code_challenge": authorization.challenge,
        "code_challenge_method": "S256",
    }
    return f"{at}{'&' if '?' in at else '?'}{urlencode(asked)}"


async def redeem(provider: Provider, code: str, authorization: Authorization) -> Tokens | None:
    """None where the provider does not take the code: it is old, used, or somebody else's."""
    metadata = await provider.metadata()
    if metadata.token is None:
        raise ProviderAway("it does not say where codes are redeemed")
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": authorization.back_to,
        "client_id": provider.client_id,
        "code_verifier": authorization.verifier,
    }
    user = None
    if provider.secret is not None:
        if "client_secret_basic" in metadata.token_methods:
            user = (provider.client_id, provider.secret)
        else:
            form["client_secret"] = provider.secret
    provider.line.require_answering()
    status, said = await provider.line.post_form(metadata.token, form, user)
    if status >= 500:
        raise ProviderAway(f"{metadata.token} answers {status}")
    id_token, access_token = said.get("id_token"), said.get("access_token")
    if status != 200 or not isinstance(id_token, str) or not isinstance(access_token, str):
        log.warning("code_refused", status=status, error=str(said.get("error"))[:100])
        return None
    return Tokens(id_token, access_token)
