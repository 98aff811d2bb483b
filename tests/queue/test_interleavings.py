"""Run the rules of the offline queue in Node.js, one by one and in random interleavings."""

import json
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.browser_scripts import write_scripts
from tests.cases import seeded_random
from tests.forked_processes import served

HERE = Path(__file__).parent
MOST_SEEDS = 2**31
MANY = 1000
"""The initial quantity of each item in `real_server.mjs`."""
RULES = [
    *("rules.mjs", "answer_rules.mjs", "keeping_rules.mjs", "list_rules.mjs", "page_rules.mjs"),
    *("sending_rules.mjs", "shown_rules.mjs", "taking_rules.mjs"),
]
PASSWORD = "long enough for one"


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the scripts that Node.js imports as modules."""
    return write_scripts(tmp_path_factory.mktemp("scripts"))


@pytest.mark.parametrize("rules", RULES)
def test_every_rule_holds(scripts: Path, rules: str) -> None:
    _node(rules, str(scripts))


@pytest.mark.timeout(120)
@pytest.mark.parametrize("scenarios", [400, pytest.param(4000, marks=pytest.mark.torture)])
def test_two_offline_phones_and_simulated_server_converge(scripts: Path, scenarios: int) -> None:
    """Requests and responses are lost, delayed or repeated; phones restart; days pass; clocks are
    wrong. No change is lost and none is applied twice."""
    seed = seeded_random().randrange(MOST_SEEDS)
    _node("interleavings.mjs", str(scripts), str(seed), str(scenarios))


@pytest.mark.timeout(120)
def test_phones_converge_with_the_real_server(scripts: Path, tmp_path: Path) -> None:
    seed = seeded_random().randrange(MOST_SEEDS)
    with served(tmp_path, HOMESHELF_LIMIT_WRITES="9999/s") as homeshelf:
        known = json.dumps(_household(homeshelf.url))
        _node("interleavings.mjs", str(scripts), str(seed), "1", known)


def _node(script: str, *arguments: str) -> None:
    node = shutil.which("node")
    assert node, "the tests need Node.js"
    done = subprocess.run(
        [node, str(HERE / script), *arguments],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _household(url: str) -> dict[str, object]:
    """Create two admins, Ada and Bob, and two items."""
    api = httpx.Client(base_url=f"{url}/api/v1")
    tokens = {name: _signed_up(api, name) for name in ("ada", "bob")}
    ada, bob = ({"Authorization": f"Bearer {token}"} for token in tokens.values())
    _made(api, "/families", {"name": "Home"}, ada)
    invited = {"email": "bob@home.local", "role": "admin"}
    link = str(_made(api, "/invitations", invited, ada)["link"])
    api.post("/invitations/accept", json={"token": link.rpartition("/")[2]}, headers=bob)
    things = [{"name": name, "quantity": MANY} for name in ("Milk", "Rice")]
    items = [_made(api, "/items", thing, ada)["itemId"] for thing in things]
    api.close()
    return {"url": url, "tokens": tokens, "items": items}


def _signed_up(api: httpx.Client, name: str) -> str:
    known = {"email": f"{name}@home.local", "password": PASSWORD}
    _made(api, "/accounts", {**known, "name": name}, {})
    return str(_made(api, "/tokens", known, {}, 200)["accessToken"])


def _made(
    api: httpx.Client, path: str, body: object, headers: dict[str, str], status: int = 201
) -> dict[str, object]:
    answer = api.post(path, json=body, headers=headers)
    assert answer.status_code == status, answer.text
    found: dict[str, object] = answer.json()
    return found
