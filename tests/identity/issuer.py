"""A fake OpenID provider for faults that a real one never shows.

It answers over HTTP from this process; tests choose its keys and tokens.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from aiohttp import web
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

from homeshelf import clock
from homeshelf.signing import encoded

AUDIENCE = "homeshelf"
SUBJECT = "0f4c8f2e-6d1b-4c7a-9d57-3f0a1b2c3d4e"

Key = RSAKey | ECKey


class Issuer:
    def __init__(self) -> None:
        self.url = ""
        self.key: Key = rsa_key("first")
        self.published: list[Key] = [self.key]
        self.told: dict[str, Any] = {}
        """Metadata that replaces the usual values."""
        self.user_info: dict[str, Any] | None = None
        self.asked: list[str] = []
        """The requested paths, in order."""
        self.slow = 0.0
        self.redeemed: list[tuple[str | None, dict[str, str]]] = []
        """The Authorization header and the form of each redeemed code."""
        self.claims: dict[str, Any] = {}
        """Additional claims for ID tokens."""
        self._codes: dict[str, dict[str, str]] = {}
        self._runner: web.AppRunner | None = None

    @property
    def settings(self) -> dict[str, Any]:
        return {"oidc_issuer": self.url, "oidc_audience": AUDIENCE}

    def token(self, key: Key | None = None, **claims: Any) -> str:
        """Return a token for Ada; claims with None are omitted."""
        key = key or self.key
        now = clock.seconds()
        said = {
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": SUBJECT,
            "iat": now,
            "exp": now + 600,
            "email": "ada@home.local",
            "email_verified": True,
            "name": "Ada",
        } | claims
        header = {"alg": "RS256" if isinstance(key, RSAKey) else "ES256"}
        if key.kid:
            header["kid"] = key.kid
        return jwt.encode(header, {k: v for k, v in said.items() if v is not None}, key)

    def sign_in_at(self, address: str) -> str:
        """Sign in at this address; return the redirect target."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        code = clock.new_id()
        self._codes[code] = asked
        back = urlencode({"code": code, "state": asked["state"], "iss": self.url})
        return f"{asked['redirect_uri']}?{back}"

    async def open(self, port: int = 0) -> None:
        app = web.Application()
        app.router.add_get("/.well-known/openid-configuration", self._describe)
        app.router.add_get("/keys", self._send_keys)
        app.router.add_get("/userinfo", self._send_user_info)
        app.router.add_post("/token", self._redeem_code)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def close(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def open_again(self) -> None:
        await self.open(int(self.url.rpartition(":")[2]))

    async def _describe(self, _request: web.Request) -> web.Response:
        self.asked.append("description")
        await asyncio.sleep(self.slow)
        return web.json_response(
            {
                "issuer": self.url,
                "jwks_uri": f"{self.url}/keys",
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "userinfo_endpoint": f"{self.url}/userinfo",
            }
            | self.told
        )

    async def _send_keys(self, _request: web.Request) -> web.Response:
        self.asked.append("keys")
        await asyncio.sleep(self.slow)
        shown = [key.as_dict(private=False) for key in self.published]
        return web.Response(body=json.dumps({"keys": shown}).encode())

    async def _send_user_info(self, request: web.Request) -> web.Response:
        self.asked.append("user info")
        await asyncio.sleep(self.slow)
        if self.user_info is None or not request.headers["authorization"].startswith("Bearer "):
            return web.json_response({"error": "invalid_token"}, status=401)
        return web.json_response(self.user_info)

    async def _redeem_code(self, request: web.Request) -> web.Response:
        """Redeem a code once, for the same address and with its verifier."""
        form = {name: str(value) for name, value in (await request.post()).items()}
        self.redeemed.append((request.headers.get("authorization"), form))
        asked = self._codes.pop(form["code"], None)
        challenge = hashlib.sha256(form["code_verifier"].encode()).digest()
        if (
            asked is None
            or asked["redirect_uri"] != form["redirect_uri"]
            or asked["code_challenge_method"] != "S256"
            or asked["code_challenge"] != encoded(challenge)
        ):
            return web.json_response({"error": "invalid_grant"}, status=400)
        said = {"nonce": asked["nonce"], "aud": form["client_id"]} | self.claims
        tokens = {"id_token": self.token(**said), "access_token": "opaque"}
        return web.json_response(tokens | {"token_type": "Bearer"})


@asynccontextmanager
async def open_issuer() -> AsyncIterator[Issuer]:
    issuer = Issuer()
    await issuer.open()
    try:
        yield issuer
    finally:
        await issuer.close()


@cache
def rsa_key(kid: str | None, which: str = "") -> RSAKey:
    """Return a cached key, as making one is slow; `which` makes keys with one id differ."""
    del which
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig"} if kid else None)


def ec_key(kid: str) -> ECKey:
    return ECKey.generate_key("P-256", {"kid": kid})
