import re
import subprocess
import sys
from pathlib import Path

import pytest

from homeshelf.config import (
    BadSetting,
    DynamoDBAt,
    SqliteAt,
    declared_settings,
    find_mistakes,
    read_settings,
)
from homeshelf.config.values import Rate
from tests.forked_processes import run
from tests.processes import free_port

DOCS = Path(__file__).parents[1] / "docs" / "configuration.md"


def test_default_paths_are_in_the_data_folder() -> None:
    settings = read_settings({})
    assert settings.data_dir == Path("data")
    assert settings.database == SqliteAt(Path("data/homeshelf.db"))


def test_the_default_database_follows_the_data_folder() -> None:
    settings = read_settings({"HOMESHELF_DATA_DIR": "/srv/100% {shelf}?"})
    assert settings.database == SqliteAt(Path("/srv/100% {shelf}?/homeshelf.db"))


def test_an_empty_variable_counts_as_unset() -> None:
    assert read_settings(dict.fromkeys(all_variables(), "")) == read_settings({})


@pytest.mark.parametrize(
    ("text", "database"),
    [
        ("sqlite:///shelf.db", SqliteAt(Path("shelf.db"))),
        ("sqlite:////srv/shelf.db", SqliteAt(Path("/srv/shelf.db"))),
        ("sqlite:///~/shelf.db", SqliteAt(Path.home() / "shelf.db")),
        ("dynamodb://eu-central-1", DynamoDBAt("eu-central-1")),
        ("dynamodb://us-east-1?prefix=a.b-c_1", DynamoDBAt("us-east-1", None, "a.b-c_1")),
        (
            "dynamodb://local?endpoint=http://127.0.0.1:8000/&prefix=x",
            DynamoDBAt("local", "http://127.0.0.1:8000", "x"),
        ),
        (
            "dynamodb://local?endpoint=https%3A%2F%2F%5B%3A%3A1%5D%3A8000",
            DynamoDBAt("local", "https://[::1]:8000"),
        ),
        (
            "dynamodb://local?prefixes=range&prefix=x",
            DynamoDBAt("local", None, "x", "range"),
        ),
        ("dynamodb://local?prefixes=begins_with", DynamoDBAt("local")),
    ],
)
def test_a_database_is_a_file_or_a_region(text: str, database: SqliteAt | DynamoDBAt) -> None:
    assert read_settings({"HOMESHELF_DATABASE": text}).database == database


SCHEME = (
    "HOMESHELF_DATABASE must start with sqlite:/// or dynamodb://, "
    "such as sqlite:///data/homeshelf.db or dynamodb://eu-central-1."
)
FILE = (
    "HOMESHELF_DATABASE must name a file after sqlite:///, "
    "such as sqlite:///homeshelf.db or sqlite:////var/lib/homeshelf/homeshelf.db."
)
REGION = "HOMESHELF_DATABASE must name a region after dynamodb://, such as dynamodb://eu-central-1."
ENDPOINT = (
    "HOMESHELF_DATABASE has an endpoint that is not a web address: "
    "write it like http://localhost:8000."
)
PREFIX = (
    "HOMESHELF_DATABASE has a prefix that table names cannot start with: "
    "use at most 200 letters from A to Z, digits, dots, dashes and underscores."
)
UNKNOWN = (
    "HOMESHELF_DATABASE has the unknown option table: only endpoint, prefix and prefixes are known."
)
PREFIXES = "HOMESHELF_DATABASE has an unknown value for prefixes: write range or begins_with."


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("postgres://host/db", SCHEME),
        ("homeshelf.db", SCHEME),
        ("sqlite", SCHEME),
        ("sqlite:", FILE),
        ("sqlite://shelf.db", FILE),
        ("sqlite:///", FILE),
        ("dynamodb:", REGION),
        ("dynamodb://", REGION),
        ("dynamodb://?prefix=x", REGION),
        ("dynamodb://eu-central-1/tables", REGION),
        ("dynamodb://key:secret@eu-central-1", REGION),
        ("dynamodb://[", REGION),
        (
            "dynamodb://eu-central-1?table=x",
            UNKNOWN,
        ),
        (
            "dynamodb://eu-central-1?prefix=a&prefix=b",
            "HOMESHELF_DATABASE has the same option twice: give each once.",
        ),
        ("dynamodb://eu-central-1?endpoint=", ENDPOINT),
        ("dynamodb://eu-central-1?endpoint=localhost:8000", ENDPOINT),
        ("dynamodb://eu-central-1?endpoint=ftp://localhost", ENDPOINT),
        ("dynamodb://eu-central-1?endpoint=http://localhost:port", ENDPOINT),
        ("dynamodb://eu-central-1?endpoint=http://local host", ENDPOINT),
        ("dynamodb://eu-central-1?endpoint=http://localhost/path", ENDPOINT),
        ("dynamodb://eu-central-1?prefix=a b", PREFIX),
        ("dynamodb://eu-central-1?prefix=ä", PREFIX),
        (f"dynamodb://eu-central-1?prefix={'x' * 201}", PREFIX),
        ("dynamodb://eu-central-1?prefixes=", PREFIXES),
        ("dynamodb://eu-central-1?prefixes=like", PREFIXES),
    ],
)
def test_invalid_database_error_shows_a_valid_one(text: str, sentence: str) -> None:
    with pytest.raises(BadSetting) as error:
        read_settings({"HOMESHELF_DATABASE": text})
    assert str(error.value) == sentence


def test_trailing_slash_of_the_public_url_is_removed() -> None:
    settings = read_settings({"HOMESHELF_PUBLIC_URL": "https://shelf.example:8443/"})
    assert settings.public_url == "https://shelf.example:8443"


@pytest.mark.parametrize(
    "text", ["shelf.example", "ftp://shelf.example", "https://", "https://shelf.example/home"]
)
def test_invalid_public_url_error_shows_a_valid_one(text: str) -> None:
    sentence = (
        "HOMESHELF_PUBLIC_URL must be a web address without a path, such as https://shelf.example."
    )
    with pytest.raises(BadSetting, match=f"^{re.escape(sentence)}$"):
        read_settings({"HOMESHELF_PUBLIC_URL": text})


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("60/h", Rate(60, 3600)),
        ("10/15min", Rate(10, 900)),
        ("40/10s", Rate(40, 10)),
        ("1/min", Rate(1, 60)),
    ],
)
def test_limit_is_a_number_per_time(text: str, rate: Rate) -> None:
    assert read_settings({"HOMESHELF_LIMIT_SIGNUPS": text}).limit_signups == rate


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("20MB/24h", Rate(20_000_000, 24 * 3600)),
        ("500kB/h", Rate(500_000, 3600)),
        ("1MB/30min", Rate(1_000_000, 1800)),
    ],
)
def test_size_limit_is_a_size_per_time(text: str, rate: Rate) -> None:
    assert read_settings({"HOMESHELF_LIMIT_SHARES_SIZE": text}).limit_shares_size == rate


@pytest.mark.parametrize("text", ["20", "20/h", "0MB/h", "20GB/h", "20MB", "20MB/0h", "-1MB/h"])
def test_invalid_size_limit_error_shows_a_valid_one(text: str) -> None:
    sentence = (
        "HOMESHELF_LIMIT_SHARES_SIZE must be an amount per period, such as 20MB/24h or 500kB/h."
    )
    with pytest.raises(BadSetting, match=f"^{re.escape(sentence)}$"):
        read_settings({"HOMESHELF_LIMIT_SHARES_SIZE": text})


@pytest.mark.parametrize("text", ["3/h", "2001/h", "0/h"])
def test_mail_limit_of_the_house_has_bounds(text: str) -> None:
    with pytest.raises(BadSetting, match=r"^HOMESHELF_LIMIT_MAIL must "):
        read_settings({"HOMESHELF_LIMIT_MAIL": text})
    for right in ("4/h", "2000/h"):
        read_settings({"HOMESHELF_LIMIT_MAIL": right})


@pytest.mark.parametrize(
    "text", ["60", "0/h", "-1/h", "60/0min", "60/day", "1.5/h", "٣/h", "60 / h"]
)
def test_invalid_limit_error_shows_a_valid_one(text: str) -> None:
    sentence = (
        "HOMESHELF_LIMIT_SIGNUPS must be how often per period, such as 60/h, 10/15min or 40/10s."
    )
    with pytest.raises(BadSetting, match=f"^{re.escape(sentence)}$"):
        read_settings({"HOMESHELF_LIMIT_SIGNUPS": text})


def test_repr_of_settings_hides_the_secret() -> None:
    settings = read_settings({"HOMESHELF_SECRET": "hunter2hunter2hunter2hunter2hunter2"})
    assert "hunter2" not in repr(settings)


def test_invalid_setting_is_one_line_of_error() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "homeshelf", "serve"],
        env={"HOMESHELF_DATABASE": "postgres://host/db"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{SCHEME}\n")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "HOMESHELF_SINGUP",
            "HOMESHELF_SINGUP is not a setting; did you mean HOMESHELF_SIGNUP?",
        ),
        (
            "HOMESHELF_LIMIT_LETTER",
            "HOMESHELF_LIMIT_LETTER is not a setting; did you mean HOMESHELF_LIMIT_LETTERS?",
        ),
        (
            "HOMESHELF_COLOUR",
            "HOMESHELF_COLOUR is not a setting; docs/configuration.md lists all of them.",
        ),
        ("HOMESHELF_MAIL_FROM", "HOMESHELF_MAIL_FROM needs HOMESHELF_SMTP_URL as well."),
        (
            "HOMESHELF_SMTP_URL",
            "HOMESHELF_SMTP_URL needs HOMESHELF_MAIL_FROM and HOMESHELF_PUBLIC_URL as well.",
        ),
        (
            "HOMESHELF_OIDC_AUDIENCE",
            "HOMESHELF_OIDC_AUDIENCE needs HOMESHELF_OIDC_ISSUER as well.",
        ),
        ("HOMESHELF_HOSTS", "HOMESHELF_HOSTS needs HOMESHELF_PUBLIC_URL as well."),
    ],
)
def test_unknown_variable_is_an_error(name: str, sentence: str) -> None:
    assert find_mistakes({name: "something"}) == [sentence]


def test_known_and_empty_variables_are_no_errors() -> None:
    assert find_mistakes(dict.fromkeys(all_variables(), "something")) == []
    assert find_mistakes({"HOMESHELF_SINGUP": "", "HOMESHELF_HOSTS": "none", "HOME": "/"}) == []


def test_misspelt_setting_stops_serve_and_other_commands_warn(tmp_path: Path) -> None:
    misspelt = {"HOMESHELF_SINGUP": "closed"}
    sentence = "HOMESHELF_SINGUP is not a setting; did you mean HOMESHELF_SIGNUP?\n"
    refused = run(tmp_path, "serve", "--port", str(free_port()), **misspelt)
    assert (refused.returncode, refused.stdout, refused.stderr) == (2, "", sentence)
    assert not (tmp_path / "data").exists()
    examined = run(tmp_path, "doctor", **misspelt)
    assert (examined.returncode, examined.stderr) == (1, "")
    assert examined.stdout.startswith(f"WRONG settings: {sentence}")
    listed = run(tmp_path, "tables", "list", **misspelt)
    assert (listed.returncode, listed.stderr) == (0, f"Warning: {sentence}")


def test_the_docs_list_every_setting() -> None:
    rows = re.findall(r"^\| `(HOMESHELF_\w+)` \| (.+?) \| (.+) \|$", DOCS.read_text(), re.MULTILINE)
    assert rows == [
        (each.variable, shown(each.default), each.help) for each in declared_settings().values()
    ]


def test_a_variable_is_named_like_its_field() -> None:
    assert all_variables() == [f"HOMESHELF_{name.upper()}" for name in declared_settings()]


def shown(default: str | None) -> str:
    return "unset" if default is None else f"`{default.replace('{data_dir}', '<data dir>')}`"


def all_variables() -> list[str]:
    return [setting.variable for setting in declared_settings().values()]
