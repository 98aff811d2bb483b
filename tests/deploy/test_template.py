"""The template of `deploy/aws` passes AWS's linter and agrees with the code."""

import re
from typing import Any

import pytest

from homeshelf import background
from homeshelf.commands import process
from homeshelf.config import declared_settings, read_settings
from homeshelf.config.addresses import DynamoDBAt
from homeshelf.ip import is_in
from homeshelf.live.listener import QUIET_SECONDS
from homeshelf.serving.limits import Phase
from homeshelf.table import TABLES
from homeshelf.table.schema import Table
from tests.deploy import ROOT
from tests.deploy.containerfile import IMAGE, said_by
from tests.deploy.template import FILE, RESOURCES, TEMPLATE, Stack, of_type

PAGE = (ROOT / "docs" / "aws.md").read_text()
MADE = of_type("DynamoDB::Table")
(CONTAINER,) = RESOURCES["Task"]["Properties"]["ContainerDefinitions"]
SECRET = "a secret that is at least as long as it has to be"


def test_cfn_lint_accepts_the_template() -> None:
    assert said_by("cfn-lint", "--format", "parseable", str(FILE)) == (0, "")


def test_template_uses_only_cloudformation_syntax() -> None:
    """CloudFormation has no anchors, which the linter accepts."""
    assert re.findall(r"(?:^|[\s\[:])[&*][A-Za-z]\w*", FILE.read_text()) == []


def test_documented_commands_allow_the_sam_transform() -> None:
    assert TEMPLATE["Transform"] == "AWS::Serverless-2016-10-31"
    capabilities = re.findall(r"--capabilities ((?:CAPABILITY_\w+ ?)+)", PAGE)
    assert [each.split() for each in capabilities] == 2 * [
        ["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"]
    ]


def test_template_has_no_lambda_function() -> None:
    kinds = {each["Type"] for each in RESOURCES.values()}
    assert [kind for kind in kinds if "Lambda" in kind or "Serverless" in kind] == []


def test_template_has_the_tables_of_the_code() -> None:
    assert sorted(MADE) == sorted(table.name for table in TABLES)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_table_of_the_template_equals_that_of_the_code(table: Table) -> None:
    found = MADE[table.name]
    assert Stack(TablePrefix="ours.").of(found["TableName"]) == f"ours.{table.name}"
    assert _keys(found) == (table.partition, table.sort)
    assert _indexes(found) == {
        index.name: (index.partition, index.sort, "ALL") for index in table.indexes
    }
    assert {
        each["AttributeName"]: each["AttributeType"] for each in found["AttributeDefinitions"]
    } == {name: "N" if name in table.numbers else "S" for name in table.key_attributes}
    ttl = found.get("TimeToLiveSpecification")
    assert ttl == (table.ttl and {"AttributeName": table.ttl, "Enabled": True})


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_table_is_on_demand_recoverable_and_retained(
    table: Table,
) -> None:
    found = MADE[table.name]
    assert found["BillingMode"] == "PAY_PER_REQUEST"
    assert found["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert found["DeletionProtectionEnabled"] is True
    for policy in ("DeletionPolicy", "UpdateReplacePolicy"):
        assert RESOURCES[table.name][policy] == "Retain"


def test_settings_of_the_template_are_valid() -> None:
    settings = read_settings(_environment() | {"HOMESHELF_SECRET": SECRET})
    assert settings.database == DynamoDBAt("eu-central-1", prefix="homeshelf-")
    assert settings.public_url == "https://shelf.example"
    with_all = {"OidcIssuer": "https://id.example", "OidcAudience": "shelf"}
    assert read_settings(_environment(**with_all, MailLimit="2000/min")).oidc_audience == "shelf"


def test_documentation_lists_every_parameter_and_default() -> None:
    rows = re.findall(r"^\| (`[A-Z]\w+`.*?) \|", PAGE, re.MULTILINE)
    named = re.findall(r"`(\w+)`", " ".join(rows))
    assert sorted(named) == sorted(TEMPLATE["Parameters"])
    given = set(re.findall(r"\b([A-Z]\w+)=", PAGE.partition("```sh")[2].partition("```")[0]))
    needed = {name for name, each in TEMPLATE["Parameters"].items() if "Default" not in each}
    assert needed <= given <= TEMPLATE["Parameters"].keys()
    assert f"`{TEMPLATE['Parameters']['TablePrefix']['Default']}`" in PAGE
    times = (QUIET_SECONDS, Phase.IDLE.seconds)
    assert "sends a line every {:.0f}, and a process waits for {:.0f}".format(*times) in PAGE


def test_every_allowed_parameter_value_is_valid() -> None:
    for name, each in TEMPLATE["Parameters"].items():
        for value in each.get("AllowedValues", ()):
            read_settings(_environment(**{name: str(value)}))


def test_settings_of_the_template_exist_and_secrets_are_no_parameters() -> None:
    known = {each.variable: name for name, each in declared_settings().items()}
    named = {*_environment(), *_secrets()} - {"TMPDIR"}
    assert named <= known.keys()
    assert _secrets() == {"HOMESHELF_SECRET": "the SigningKey"}
    arns = {"SmtpUrlSecretArn": "arn:mail", "OidcClientSecretArn": "arn:client"}
    assert _secrets(**arns) == {
        "HOMESHELF_SECRET": "the SigningKey",
        "HOMESHELF_SMTP_URL": "arn:mail",
        "HOMESHELF_OIDC_CLIENT_SECRET": "arn:client",
    }
    assert _secrets(SignsWith="the key in the tables") == {}
    assert not {"HOMESHELF_SECRET", "HOMESHELF_SMTP_URL"} & _environment().keys()


def test_only_the_load_balancer_is_a_trusted_proxy() -> None:
    trusted = read_settings(_environment()).trusted_proxies
    subnets = {name: Stack().of(each["CidrBlock"]) for name, each in of_type("EC2::Subnet").items()}
    for name, network in subnets.items():
        address = network.partition("/")[0]
        assert is_in(address, trusted) == name.startswith("Balancer"), name


def test_template_names_no_image_or_registry() -> None:
    assert CONTAINER["Image"] == {"Ref": "Image"}
    assert "Default" not in TEMPLATE["Parameters"]["Image"]
    assert not re.search(r"\bdkr\b|docker\.io|ghcr|quay", FILE.read_text())


def test_template_uses_the_port_of_the_image() -> None:
    group = RESOURCES["Processes"]["Properties"]
    (way_in,) = RESOURCES["ProcessDoor"]["Properties"]["SecurityGroupIngress"]
    (served,) = RESOURCES["Service"]["Properties"]["LoadBalancers"]
    (mapped,) = CONTAINER["PortMappings"]
    assert {
        group["Port"], way_in["FromPort"], way_in["ToPort"], served["ContainerPort"],
        mapped["ContainerPort"],
    } == {IMAGE.port}  # fmt: skip
    assert served["ContainerName"] == CONTAINER["Name"]
    assert group["HealthCheckPath"] == IMAGE.health_path
    assert group.get("HealthCheckPort", "traffic-port") == "traffic-port"


def test_template_mounts_the_volume_of_the_image() -> None:
    assert CONTAINER["ReadonlyRootFilesystem"] is True
    (mount,) = CONTAINER["MountPoints"]
    assert mount["ContainerPath"] == IMAGE.volume == _environment()["TMPDIR"]


def test_idle_timeout_of_the_load_balancer_is_between_stream_and_process() -> None:
    attributes = _attributes(RESOURCES["Balancer"]["Properties"]["LoadBalancerAttributes"])
    idle = int(attributes["idle_timeout.timeout_seconds"])
    assert 2 * QUIET_SECONDS < idle < Phase.IDLE.seconds


def test_template_gives_a_process_time_to_stop() -> None:
    takes = process.GRACE_SECONDS + background.ENDS_WITHIN_SECONDS
    assert CONTAINER["StopTimeout"] > takes
    (listener,) = (
        each for each in of_type("ElasticLoadBalancingV2::Listener").values() if each["Port"] == 443
    )
    assert listener["Protocol"] == "HTTPS"


def test_every_watched_metric_has_an_alarm() -> None:
    alarms = of_type("CloudWatch::Alarm")
    assert all(each["AlarmActions"] == [{"Ref": "Alarms"}] for each in alarms.values())
    watched = {each["MetricName"] for each in alarms.values() if "MetricName" in each}
    assert watched == {
        "HTTPCode_Target_5XX_Count",
        "HTTPCode_ELB_5XX_Count",
        "UnHealthyHostCount",
        "HealthyHostCount",
        "TargetResponseTime",
    }


@pytest.mark.parametrize("kind", ["Read", "Write"])
def test_throttling_of_every_table_and_index_is_watched(kind: str) -> None:
    total, *metrics = RESOURCES[f"Throttled{kind}s"]["Properties"]["Metrics"]
    assert total["Expression"] == "SUM(FILL(METRICS(), 0))"
    found = [each["MetricStat"]["Metric"] for each in metrics]
    assert {each["MetricName"] for each in found} == {f"{kind}ThrottleEvents"}
    places = [_attributes(Stack().of(each["Dimensions"]), "Name") for each in found]
    named = {(each["TableName"], each.get("GlobalSecondaryIndexName")) for each in places}
    assert named == {
        (f"homeshelf-{table.name}", name)
        for table in TABLES
        for name in (None, *(index.name for index in table.indexes))
    }
    assert len(metrics) == len(named)


def _keys(found: dict[str, Any]) -> tuple[str, str]:
    partition, sort = found["KeySchema"]
    assert (partition["KeyType"], sort["KeyType"]) == ("HASH", "RANGE")
    return partition["AttributeName"], sort["AttributeName"]


def _indexes(found: dict[str, Any]) -> dict[str, tuple[str, str, str]]:
    return {
        each["IndexName"]: (*_keys(each), each["Projection"]["ProjectionType"])
        for each in found.get("GlobalSecondaryIndexes", ())
    }


def _environment(**parameters: str) -> dict[str, str]:
    return _attributes(Stack(**parameters).of(CONTAINER["Environment"]), "Name")


def _secrets(**parameters: str) -> dict[str, str]:
    found = Stack(**parameters).of(CONTAINER["Secrets"])
    return {each["Name"]: each["ValueFrom"] for each in found}


def _attributes(found: list[dict[str, str]], name: str = "Key") -> dict[str, str]:
    return {each[name]: each["Value"] for each in found}
