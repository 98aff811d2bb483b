from scripts.audit import judge

SOUND = {"name": "rich", "version": "15.0.0", "vulns": []}
SKIPPED = {"name": "yarl", "skip_reason": "Dependency not found"}
FLAWED = {
    "name": "jinja2",
    "version": "2.0",
    "vulns": [{"id": "PYSEC-1", "aliases": ["CVE-2"], "fix_versions": ["2.1"], "description": ""}],
}


def test_a_known_vulnerability_fails() -> None:
    verdict = judge({"dependencies": [SOUND, FLAWED]})
    assert not verdict.sound
    assert verdict.lines == ["jinja2 2.0: PYSEC-1, CVE-2; fixed in 2.1"]


def test_a_sound_lock_passes_without_a_word() -> None:
    verdict = judge({"dependencies": [SOUND]})
    assert verdict.sound
    assert verdict.lines == []


def test_a_vulnerability_fails_also_where_other_packages_could_not_be_audited() -> None:
    verdict = judge({"dependencies": [FLAWED, SKIPPED]})
    assert not verdict.sound
    assert verdict.lines[-1] == "1 of 2 dependencies could not be audited."


def test_an_unreachable_service_is_said_in_one_line_and_passes() -> None:
    for report in (None, {"dependencies": [SKIPPED, SKIPPED]}):
        verdict = judge(report)
        assert verdict.sound
        assert verdict.lines == [
            "Dependencies not audited: the vulnerability service is unreachable."
        ]
