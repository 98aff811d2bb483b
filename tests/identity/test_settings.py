"""The settings of the identity provider."""

import pytest

from homeshelf.config import BadSetting, read_settings

BOTH = {"HOMESHELF_OIDC_ISSUER": "https://id.example/", "HOMESHELF_OIDC_AUDIENCE": "homeshelf"}


def test_trailing_slash_of_issuer_is_removed() -> None:
    assert read_settings(BOTH).oidc_issuer == "https://id.example"


def test_issuer_with_path_is_accepted() -> None:
    asked = BOTH | {"HOMESHELF_OIDC_ISSUER": "http://localhost:8080/realms/home"}
    assert read_settings(asked).oidc_issuer == "http://localhost:8080/realms/home"


@pytest.mark.parametrize(
    "text",
    ["id.example", "ftp://id.example", "https://", "https://id.example/?x=1", "https://a b"],
)
def test_invalid_issuer_is_refused_with_an_explanation(text: str) -> None:
    with pytest.raises(BadSetting, match=r"^HOMESHELF_OIDC_ISSUER must be a web address"):
        read_settings(BOTH | {"HOMESHELF_OIDC_ISSUER": text})


def test_issuer_without_audience_is_refused() -> None:
    with pytest.raises(BadSetting, match="needs HOMESHELF_OIDC_AUDIENCE as well"):
        read_settings({"HOMESHELF_OIDC_ISSUER": "https://id.example"})


def test_client_id_with_spaces_is_refused() -> None:
    with pytest.raises(BadSetting, match=r"^HOMESHELF_OIDC_CLIENT_ID must have no spaces"):
        read_settings(BOTH | {"HOMESHELF_OIDC_CLIENT_ID": "home shelf"})


def test_client_secret_is_not_shown() -> None:
    settings = read_settings(BOTH | {"HOMESHELF_OIDC_CLIENT_SECRET": "hunter2"})
    assert "hunter2" not in repr(settings)
