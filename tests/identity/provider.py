"""A real OpenID provider in a process of its own."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

from tests.processes import environment, free_port
from tests.servers.programs import LEASH

CLIENT = "homeshelf"
ADA: dict[str, Any] = {
    "sub": "ada-at-the-provider",
    "email": "ada@home.local",
    "email_verified": True,
    "name": "Ada Lovelace",
}


@dataclass(frozen=True)
class RealProvider:
    url: str
    pid: int

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "oidc_issuer": self.url,
            "oidc_audience": CLIENT,
            "oidc_client_secret": "any secret",
        }

    @property
    def variables(self) -> dict[str, str]:
        return {
            "HOMESHELF_OIDC_ISSUER": self.url,
            "HOMESHELF_OIDC_AUDIENCE": CLIENT,
            "HOMESHELF_OIDC_CLIENT_SECRET": "any-secret",
        }

    @contextmanager
    def stop_responding(self) -> Iterator[None]:
        """Accept connections without answering, until the end of the block."""
        os.kill(self.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.pid, signal.SIGCONT)

    async def sign_in_at(self, address: str, subject: str = ADA["sub"]) -> str:
        """Sign in at this address; return the redirect target."""
        async with httpx.AsyncClient() as browser:
            form = await browser.get(address)
            assert form.status_code == 200, form.text
            done = await browser.post(address, data={"sub": subject})
        assert done.status_code in (302, 303), done.text
        return str(done.headers["location"])

    async def id_token(self, subject: str = ADA["sub"], client: str = CLIENT) -> str:
        """Return a token as a client program gets it."""
        back = "http://program.test/back"
        asked = {
            "response_type": "code",
            "client_id": client,
            "redirect_uri": back,
            "scope": "openid email profile",
            "nonce": "n",
            "state": "s",
        }
        address = str(httpx.URL(f"{self.url}/oauth2/authorize", params=asked))
        code = parse_qs(urlsplit(await self.sign_in_at(address, subject)).query)["code"][0]
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": back}
        async with httpx.AsyncClient() as program:
            answer = await program.post(
                f"{self.url}/oauth2/token", data=form, auth=(client, "any secret")
            )
        return str(answer.json()["id_token"])


@contextmanager
def real_provider(
    *options: str, people: Sequence[dict[str, Any]] = (ADA,)
) -> Iterator[RealProvider]:
    port = free_port()
    program = ["-m", "oidc_provider_mock", "--port", str(port), *options]
    process = subprocess.Popen(
        [
            sys.executable,
            "-S",
            str(LEASH),
            sys.executable,
            *program,
            *(part for each in people for part in ("--user-claims", json.dumps(each))),
        ],
        env=environment({}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    provider = RealProvider(f"http://127.0.0.1:{port}", process.pid)
    try:
        _wait_for(provider, process)
        yield provider
    finally:
        process.kill()
        process.wait()


def _wait_for(provider: RealProvider, process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + 30
    while time.monotonic() < end and process.poll() is None:
        try:
            httpx.get(f"{provider.url}/.well-known/openid-configuration")
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the provider did not start")
