"""The authorization code flow: redirect, signed cookie, and exchange of the code."""

import secrets
from dataclasses import asdict, dataclass
from hashlib import sha256
from urllib.parse import urlencode

import structlog
from fastapi import Request, Response

from homeshelf.accounts.browsers import cookie, cookie_name
from homeshelf.errors import Unauthenticated
from homeshelf.identity.provider import Provider
from homeshelf.identity.provider_http import ProviderUnavailable
from homeshelf.signing import Signer, encoded

COOKIE = "homeshelf-sign-in"
AUTHORIZATION_SECONDS = 600


@dataclass(frozen=True)
class Authorization:
    state: str
    """Proves that the same browser returns."""
    nonce: str
    """Proves that the token was made for this sign-in."""
    verifier: str
    """Proves to the provider that we asked for the code (PKCE)."""
    back_to: str
    way_on: str


def new_authorization(back_to: str, way_on: str) -> Authorization:
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    return Authorization(state, nonce, verifier, back_to, way_on)


def set_authorization_cookie(
    authorization: Authorization, signer: Signer, request: Request, response: Response
) -> None:
    token = signer.token("sign-in", AUTHORIZATION_SECONDS, **asdict(authorization))
    response.set_cookie(**cookie(request, COOKIE), value=token, max_age=AUTHORIZATION_SECONDS)


def read_authorization_cookie(signer: Signer, request: Request) -> Authorization | None:
    says = signer.read("sign-in", request.cookies.get(cookie_name(request, COOKIE), ""))
    body = {name: value for name, value in (says or {}).items() if name != "exp"}
    return Authorization(**body) if body else None


def delete_authorization_cookie(request: Request, response: Response) -> None:
    response.delete_cookie(**cookie(request, COOKIE))


SCOPES = "openid email profile"

log = structlog.get_logger()


async def authorization_url(provider: Provider, authorization: Authorization) -> str:
    at = (await provider.metadata.get()).authorization
    if at is None:
        raise ProviderUnavailable("it does not say where people sign in")
    query = {
        "response_type": "code",
        "client_id": provider.client_id,
        "redirect_uri": authorization.back_to,
        "scope": SCOPES,
        "state": authorization.state,
        "nonce": authorization.nonce,
        "code_challenge": encoded(sha256(authorization.verifier.encode()).digest()),
        "code_challenge_method": "S256",
    }
    return f"{at}{'&' if '?' in at else '?'}{urlencode(query)}"


async def redeem_code(
    provider: Provider, code: str, iss: str, authorization: Authorization
) -> tuple[str, str]:
    """Return the ID token and the access token."""
    metadata = await provider.metadata.get()
    if iss and iss != metadata.issuer:
        raise Unauthenticated
    if metadata.token is None:
        raise ProviderUnavailable("it does not say where codes are redeemed")
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
    provider.http.require_responsive()
    status, body = await provider.http.post_form(metadata.token, form, user)
    if status >= 500:
        raise ProviderUnavailable(f"{metadata.token} answers {status}")
    id_token, access_token = body.get("id_token"), body.get("access_token")
    if status != 200 or not isinstance(id_token, str) or not isinstance(access_token, str):
        log.warning("code_refused", status=status, error=str(body.get("error"))[:100])
        raise Unauthenticated
    return id_token, access_token
