"""`compose.yaml`, `.env.example` and the workflows, checked without running them."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from homeshelf.config import declared_settings, read_settings
from tests.deploy import ROOT
from tests.deploy.containerfile import IMAGE, said_by
from tests.documentation import is_valid_command

COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
EXAMPLE = (ROOT / ".env.example").read_text()
KNOWN = {setting.variable for setting in declared_settings().values()}
PAGE = (ROOT / "docs" / "compose.md").read_text()
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_example_settings_are_valid_commented_or_not() -> None:
    lines = re.findall(r"^#?(HOMESHELF_\w+)=(.+)$", EXAMPLE, re.MULTILINE)
    settings = read_settings(dict(lines))
    assert len(lines) >= 5
    assert settings.public_url == "https://shelf.example"
    assert settings.signup == "invited"


def test_compose_names_only_known_settings() -> None:
    text = (ROOT / "compose.yaml").read_text()
    assert set(re.findall(r"HOMESHELF_\w+", text + PAGE)) <= KNOWN
    assert read_settings(SERVICES["homeshelf"]["environment"]).trusted_proxies


def test_proxy_is_trusted_and_reaches_the_port_of_the_image() -> None:
    caddy = SERVICES["caddy"]
    address = caddy["networks"]["proxy"]["ipv4_address"]
    assert SERVICES["homeshelf"]["environment"]["HOMESHELF_TRUSTED_PROXIES"] == address
    assert caddy["command"].split()[-1] == f"homeshelf:{IMAGE.port}"
    assert "ports" not in SERVICES["homeshelf"]
    assert "env_file" not in caddy


def test_services_keep_their_data_and_have_no_privileges() -> None:
    for name in ("homeshelf", "backup"):
        service = SERVICES[name]
        assert service["volumes"] == [f"data:{IMAGE.volume}"]
        assert service["read_only"]
        assert service["cap_drop"] == ["all"]
        assert "privileged" not in service
    named = {volume.partition(":")[0] for each in SERVICES.values() for volume in each["volumes"]}
    assert named == COMPOSE["volumes"].keys()
    assert SERVICES["homeshelf"]["build"]["dockerfile"] == "deploy/container/Containerfile"


def test_nightly_backup_runs_a_valid_command() -> None:
    (script,) = SERVICES["backup"]["command"]
    command = shlex.split(re.search(r"do (homeshelf .*?);", script)[1])  # type: ignore[index]
    assert is_valid_command(command)
    assert command[2].startswith(IMAGE.volume)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_is_valid(workflow: Path) -> None:
    schema = ("--builtin-schema", "vendor.github-workflows")
    code, output = said_by("check-jsonschema", *schema, str(workflow))
    assert code == 0, output
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(re.findall(r"make (\w+)", workflow.read_text())) <= set(targets)
