"""Test that the commands of `docs/https.md` create a valid certificate."""

import re
import shutil
import ssl
import subprocess
from pathlib import Path

import httpx
import pytest

from homeshelf.books.file_rows import MAX_BYTES
from tests.processes import served

DOCS = Path(__file__).parents[1] / "docs" / "https.md"


@pytest.mark.skipif(not shutil.which("openssl"), reason="the commands are openssl's")
def test_client_that_trusts_the_authority_trusts_the_server(tmp_path: Path) -> None:
    (commands,) = re.findall(r"```sh\n(.*?)```", DOCS.read_text(), re.DOTALL)
    here = commands.replace("192.168.1.20", "127.0.0.1")
    subprocess.run(["/bin/sh", "-ec", here], cwd=tmp_path, check=True, capture_output=True)
    (line,) = re.findall(
        r"^    homeshelf serve .*(--certificate .*)$", DOCS.read_text(), re.MULTILINE
    )
    with served(tmp_path, *line.split()) as homeshelf:
        trust = ssl.create_default_context(cafile=tmp_path / "authority.pem")
        assert httpx.get(f"{homeshelf.url}/readyz", verify=trust).status_code == 200
        with pytest.raises(httpx.ConnectError, match="certificate verify failed"):
            httpx.get(f"{homeshelf.url}/readyz")


def test_nginx_accepts_the_largest_file() -> None:
    (megabytes,) = re.findall(r"client_max_body_size (\d+)m;", DOCS.read_text())
    assert int(megabytes) * 1_000_000 > MAX_BYTES
