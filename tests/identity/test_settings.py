"""How an identity provider is named in the settings."""

import pytest

from homeshelf.config import BadSetting, read_settings

BOTH = {"HOMESHELF_OIDC_ISSUER": "https://id.example/", "HOMESHELF_OIDC_AUDIENCE": "homeshelf"}


def test_an_issuer_loses_its_closing_slash() -> None:
    assert read_settings(BOTH).oidc_issuer == "https://id.example"


def test_an_issuer_may_have_a_path() -> None:
    asked = BOTH | {"HOMESHELF_OIDC_ISSUER": "http://localhost:8080/realms/home"}
    assert read_settings(asked).oidc_issuer == "http://localhost:8080/realms/home"


@pytest.mark.parametrize(
    "text",
    ["id.example", "ftp://id.example", "https://", "https://id.example/?x=1", "https://a b"],
)
def test_a_wrong_issuer_is_answered_with_what_is_right(text: str) -> None:
    with pytest.raises(BadSetting, match=r"^HOMESHELF_OIDC_ISSUER must be a web address"):
        read_settings(BOTH | {"HOMESHELF_OIDC_ISSUER": text})


def test_an_issuer_alone_would_let_in_whoever_has_any_of_its_tokens() -> None:
    with pytest.raises(BadSetting, match="needs HOMESHELF_OIDC_AUDIENCE as well"):
        read_settings({"HOMESHELF_OIDC_ISSUER": "https://id.example"})


def test_a_name_with_spaces_is_no_client() -> None:
    with pytest.raises(BadSetting, match=r"^HOMESHELF_OIDC_CLIENT_ID must have no spaces"):
        read_settings(BOTH | {"HOMESHELF_OIDC_CLIENT_ID": "home shelf"})


def test_the_secret_of_the_client_is_shown_nowhere() -> None:
    settings = read_settings(BOTH | {"HOMESHELF_OIDC_CLIENT_SECRET": "hunter2"})
    assert "hunter2" not in repr(settings)
