"""The systemd units start existing commands, let them finish, and restrict them."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from homeshelf import background
from homeshelf.commands import process
from tests.deploy import DEPLOY, ROOT
from tests.documentation import is_valid_command

FOLDER = DEPLOY / "systemd"
Unit = Mapping[str, Mapping[str, list[str]]]
"""The values of each option, by section; an option may occur several times."""


def unit(name: str, *changes: str) -> Unit:
    """Return a unit, merged with drop-in files."""
    found: dict[str, dict[str, list[str]]] = {}
    for text in ((FOLDER / name).read_text(), *changes):
        for section, option, value in _lines(text):
            values = found.setdefault(section, {}).setdefault(option, [])
            if not value:
                values.clear()  # an empty value clears earlier ones, as in systemd
            values.append(value)
    return found


def names() -> list[str]:
    return sorted(path.name for path in FOLDER.iterdir())


def written(folder: Path) -> None:
    """Write the units into a folder, with commands that exist on every machine."""
    for name in names():
        lines = (FOLDER / name).read_text().splitlines()
        commands = ["ExecStart=/bin/true" if _starts(line) else line for line in lines]
        (folder / name).write_text("\n".join(commands) + "\n")


def _starts(line: str) -> bool:
    return line.startswith("ExecStart=")


def _lines(text: str) -> Iterator[tuple[str, str, str]]:
    section = ""
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith(("#", ";")):
            option, equals, value = line.partition("=")
            assert section, line
            assert equals, line
            yield section, option, value


PAGE = (ROOT / "docs" / "deployment.md").read_text()
SERVICES = ["homeshelf.service", "homeshelf-backup.service"]
KEPT_TO_ITSELF = {
    "NoNewPrivileges": ["yes"],
    "CapabilityBoundingSet": [""],
    "PrivateUsers": ["yes"],
    "ProtectSystem": ["strict"],
    "ProtectHome": ["yes"],
    "PrivateTmp": ["yes"],
    "PrivateDevices": ["yes"],
    "DevicePolicy": ["closed"],
    "ProtectClock": ["yes"],
    "ProtectControlGroups": ["yes"],
    "ProtectHostname": ["yes"],
    "ProtectKernelLogs": ["yes"],
    "ProtectKernelModules": ["yes"],
    "ProtectKernelTunables": ["yes"],
    "ProtectProc": ["invisible"],
    "ProcSubset": ["pid"],
    "RemoveIPC": ["yes"],
    "RestrictNamespaces": ["yes"],
    "RestrictRealtime": ["yes"],
    "RestrictSUIDSGID": ["yes"],
    "LockPersonality": ["yes"],
    "MemoryDenyWriteExecute": ["yes"],
    "SystemCallArchitectures": ["native"],
    "SystemCallFilter": ["@system-service", "~@privileged @resources"],
    "SystemCallErrorNumber": ["EPERM"],
    "UMask": ["0077"],
    "User": ["homeshelf"],
    "Group": ["homeshelf"],
}
OWN = {
    "homeshelf.service": {
        "EnvironmentFile",
        "ExecReload",
        "ExecStart",
        "Restart",
        "RestartSec",
        "RestrictAddressFamilies",
        "StateDirectory",
        "StateDirectoryMode",
        "TimeoutStopSec",
        "WorkingDirectory",
    },
    "homeshelf-backup.service": {
        "EnvironmentFile",
        "ExecStart",
        "IOSchedulingClass",
        "Nice",
        "PrivateNetwork",
        "ReadWritePaths",
        "RestrictAddressFamilies",
        "Type",
        "WorkingDirectory",
    },
}
"""The options that are set; systemd would ignore a misspelt one."""
BY_ITSELF = re.search(
    r"^```ini\n(\[Service\]\nExecStart=\n.*?)^```", PAGE, re.DOTALL | re.MULTILINE
)


@pytest.mark.parametrize("name", SERVICES)
def test_service_may_write_only_its_data(name: str) -> None:
    service = unit(name)["Service"]
    assert {option: service.get(option) for option in KEPT_TO_ITSELF} == KEPT_TO_ITSELF
    assert service.keys() - KEPT_TO_ITSELF.keys() == OWN[name]


def test_service_has_its_data_folder_and_time_to_stop() -> None:
    service = unit("homeshelf.service")["Service"]
    assert "ReadWritePaths" not in service
    assert [f"/var/lib/{name}" for name in service["StateDirectory"]] == service["WorkingDirectory"]
    assert service["StateDirectoryMode"] == ["0700"]
    assert service["RestrictAddressFamilies"] == ["AF_INET AF_INET6 AF_UNIX"]
    takes = process.GRACE_SECONDS + background.ENDS_WITHIN_SECONDS
    assert int(service["TimeoutStopSec"][0]) > takes
    assert f"for up to {process.GRACE_SECONDS:.0f} seconds" in PAGE


def test_reload_sends_sighup_to_the_supervisor() -> None:
    service = unit("homeshelf.service")["Service"]
    assert service["ExecReload"] == ["/bin/kill -HUP $MAINPID"]
    assert "sudo systemctl reload homeshelf" in PAGE


def test_backup_has_no_network_and_writes_only_copies() -> None:
    service = unit("homeshelf-backup.service")["Service"]
    assert service["Type"] == ["oneshot"]
    assert service["PrivateNetwork"] == ["yes"]
    assert service["ReadWritePaths"] == ["/var/lib/homeshelf /var/backups/homeshelf"]
    (command,) = service["ExecStart"]
    assert command.partition(".venv/bin/")[2] in PAGE, "the page shows the same by hand"


def test_timer_starts_the_backup_every_night() -> None:
    timer = unit("homeshelf-backup.timer")
    assert timer["Timer"] == {
        "OnCalendar": ["*-*-* 03:15"],
        "RandomizedDelaySec": ["10min"],
        "Persistent": ["true"],
    }
    assert timer["Install"] == {"WantedBy": ["timers.target"]}
    assert unit("homeshelf.service")["Install"] == {"WantedBy": ["multi-user.target"]}


@pytest.mark.parametrize("name", SERVICES)
def test_commands_of_services_exist(name: str) -> None:
    (command,) = unit(name)["Service"]["ExecStart"]
    assert command.startswith("/opt/homeshelf/.venv/bin/homeshelf ")
    assert is_valid_command(command.split())


@pytest.mark.parametrize("name", SERVICES)
def test_documentation_names_the_same_folders_and_files(name: str) -> None:
    service = unit(name)["Service"]
    assert service["EnvironmentFile"] == ["/etc/homeshelf.env"]
    for path in ("/etc/homeshelf.env", "/var/lib/homeshelf", f"/etc/systemd/system/{SERVICES[0]}"):
        assert f"| `{path}` |" in PAGE
    assert all(each in PAGE for each in names())


def test_service_may_bind_a_low_port_and_has_no_other_capability() -> None:
    assert BY_ITSELF is not None
    behind = unit("homeshelf.service")["Service"]
    alone = unit("homeshelf.service", BY_ITSELF[1])["Service"]
    changed = {option for option in alone if alone[option] != behind.get(option)}
    assert changed == {
        "ExecStart", "AmbientCapabilities", "CapabilityBoundingSet", "PrivateUsers"
    }  # fmt: skip
    assert alone["CapabilityBoundingSet"] == ["", "CAP_NET_BIND_SERVICE"]


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    """This runs only with systemd; the other tests run everywhere."""
    written(tmp_path)
    (tmp_path / "homeshelf.service.d").mkdir()
    if analyze := shutil.which("systemd-analyze"):
        for added in ("", BY_ITSELF[1] if BY_ITSELF else ""):
            alone = re.sub("=/opt/.*", "=/bin/true", added)
            (tmp_path / "homeshelf.service.d" / "https.conf").write_text(alone)
            verify = [analyze, "verify", "--man=no", *names()]
            done = subprocess.run(verify, cwd=tmp_path, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        for name in SERVICES:
            assert exposure(analyze, tmp_path / name) <= 2.0


def exposure(analyze: str, file: Path) -> float:
    """Return systemd's exposure score of a unit, up to 10."""
    command = [analyze, "security", "--offline=true", "--no-pager", str(file)]
    done = subprocess.run(command, cwd=file.parent, capture_output=True, text=True, check=True)
    (found,) = re.findall(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    return float(found)
