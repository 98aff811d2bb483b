"""What a browser takes along to the provider and brings back, in a signed cookie."""

import secrets
from dataclasses import asdict, dataclass
from hashlib import sha256

from fastapi import Request, Response

from homeshelf.signing import Signer, encoded

COOKIE = "homeshelf-sign-in"
AUTHORIZATION_SECONDS = 600


@dataclass(frozen=True)
class Authorization:
    state: str
    """Says that who comes back is who went."""
    nonce: str
    """Says that the token was made for this trip."""
    verifier: str
    """Says to the provider that who redeems the code is who asked for it (PKCE)."""
    back_to: str
    way_on: str

    @property
    def challenge(self) -> str:
        return encoded(sha256(self.verifier.encode()).digest())


def new_authorization(back_to: str, way_on: str) -> Authorization:
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    return Authorization(state, nonce, verifier, back_to, way_on)


def keep(
    authorization: Authorization, signer: Signer, request: Request, response: Response
) -> None:
    token = signer.token("sign-in", AUTHORIZATION_SECONDS, **asdict(authorization))
    secure = request.url.scheme == "https"
    response.set_cookie(
        _name(request),
        token,
        max_age=AUTHORIZATION_SECONDS,
        path="/",
        httponly=True,
        samesite="lax",
        secure=secure,
    )


def under_way(signer: Signer, request: Request) -> Authorization | None:
    says = signer.read("sign-in", request.cookies.get(_name(request), ""))
    if says is None:
        return None
    del says["exp"]
    return Authorization(**says)


def forget(request: Request, response: Response) -> None:
    secure = request.url.scheme == "https"
    response.delete_cookie(_name(request), path="/", httponly=True, samesite="lax", secure=secure)


def _name(request: Request) -> str:
    return f"__Host-{COOKIE}" if request.url.scheme == "https" else COOKIE
