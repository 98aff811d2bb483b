from pathlib import Path

import pytest

from scripts.audit import Verdict, judge, main

SOUND = {"name": "rich", "version": "15.0.0", "vulns": []}
SKIPPED = {"name": "yarl", "skip_reason": "Dependency not found"}
FLAWED = {
    "name": "jinja2",
    "version": "2.0",
    "vulns": [{"id": "PYSEC-1", "aliases": ["CVE-2"], "fix_versions": ["2.1"], "description": ""}],
}


def test_known_vulnerability_fails() -> None:
    verdict = judge({"dependencies": [SOUND, FLAWED]})
    assert not verdict.sound
    assert verdict.lines == ["jinja2 2.0: PYSEC-1, CVE-2; fixed in 2.1"]


def test_lock_without_vulnerabilities_passes_silently() -> None:
    verdict = judge({"dependencies": [SOUND]})
    assert verdict.sound
    assert verdict.lines == []


def test_vulnerability_fails_although_other_packages_were_skipped() -> None:
    verdict = judge({"dependencies": [FLAWED, SKIPPED]})
    assert not verdict.sound
    assert verdict.lines[-1] == "1 of 2 dependencies could not be audited."


def test_unreachable_service_passes_with_one_line() -> None:
    skipped = judge({"dependencies": [SKIPPED, SKIPPED]})
    assert skipped.sound
    assert skipped.lines == [
        "None of 2 dependencies was audited: the vulnerability service is out of reach."
    ]
    cut_off = judge(None, "ERROR: Could not connect to PyPI's vulnerability feed")
    assert cut_off.sound
    assert "No dependency was audited" in cut_off.lines[0]


def test_strict_audit_fails_when_service_is_unreachable() -> None:
    for report in ({"dependencies": [SKIPPED]}, {"dependencies": [SOUND, SKIPPED]}):
        assert not judge(report, strict=True).sound
    assert not judge(None, "timed out", strict=True).sound
    assert judge({"dependencies": [SOUND]}, strict=True).sound


def test_audit_of_no_packages_fails() -> None:
    assert not judge({"dependencies": []}).sound
    assert judge(None, "No module named pip_audit") == Verdict(
        False, ["Dependencies not audited: No module named pip_audit"]
    )
    assert not judge(None).sound


def test_unreadable_lock_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(str(tmp_path / "absent.txt")) == 1
    assert "not audited" in capsys.readouterr().err
