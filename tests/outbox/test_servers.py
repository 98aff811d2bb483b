"""Test mail servers that encrypt, ask for a password, respond slowly or not at all."""

import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from homeshelf.config.addresses import MailServer, mail_server
from homeshelf.outbox.channel import Refused, ServerUnavailable
from homeshelf.outbox.channels.mail import server
from homeshelf.outbox.channels.mail.email import Email
from homeshelf.outbox.channels.mail.server import connect, hand_over, helo_name
from tests.forked_processes import run
from tests.network import make_certificate
from tests.outbox.post_office import PostOffice, ReceivedMail
from tests.outbox.smtp_server import SmtpServers

MAIL = Email("shelf@example.org", "ada@home.local", b"Subject: x\r\n\r\n.\r\n..dots\r\nend")
USER = ("ada@home.local", "a %:/@ password")
QUOTED = "ada%40home.local:a%20%25%3A%2F%40%20password"


OpenOffice = Callable[..., AbstractContextManager[PostOffice]]


@pytest.fixture
def post_office_opener(smtp_servers: SmtpServers) -> OpenOffice:
    @contextmanager
    def open_mail_server(folder: Path, **options: Any) -> Iterator[PostOffice]:
        office = PostOffice(folder / "post", smtp_servers, **options)
        office.open()
        try:
            yield office
        finally:
            office.close()

    return open_mail_server


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    found, key = make_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(found))
    return {"certificate": str(found), "key": str(key)}


async def send_and_receive(url: str, office: PostOffice, mail: Email = MAIL) -> ReceivedMail:
    marked = []

    async def mark_handover() -> None:
        assert office.mails == []
        marked.append(True)

    async with connect(mail_server(url), "shelf.example") as client:
        await hand_over(client, mail, mark_handover)
    assert marked == [True]
    (arrived,) = office.mails
    return arrived


async def unavailable_reason(url: str) -> str:
    with pytest.raises(ServerUnavailable) as away:
        async with connect(mail_server(url), "shelf.example"):
            pass
    return str(away.value)


async def test_lines_that_begin_with_dots_arrive_unchanged(office: PostOffice) -> None:
    arrived = await send_and_receive(office.url, office)
    assert arrived.content.endswith(b"\r\n\r\n.\r\n..dots\r\nend\r\n")


async def test_smtps_encrypts_everything(
    post_office_opener: OpenOffice, tmp_path: Path, certificate: dict[str, str]
) -> None:
    with post_office_opener(tmp_path, tls="at once", user=USER, **certificate) as office:
        arrived = await send_and_receive(f"smtps://{QUOTED}@127.0.0.1:{office.port}", office)
    assert arrived.signed_in


async def test_starttls_encrypts_the_password(
    post_office_opener: OpenOffice, tmp_path: Path, certificate: dict[str, str]
) -> None:
    with post_office_opener(tmp_path, user=USER, **certificate) as office:
        arrived = await send_and_receive(
            f"smtp+starttls://{QUOTED}@127.0.0.1:{office.port}", office
        )
    assert (arrived.encrypted, arrived.signed_in) == (True, True)


async def test_starttls_is_used_if_a_remote_server_offers_it(
    post_office_opener: OpenOffice,
    tmp_path: Path,
    certificate: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with post_office_opener(tmp_path, user=USER, **certificate) as office:
        url = f"smtp://{QUOTED}@127.0.0.1:{office.port}"
        assert not (await send_and_receive(url, office)).encrypted
    monkeypatch.setattr(MailServer, "is_here", False)
    (tmp_path / "another").mkdir()
    with post_office_opener(tmp_path / "another", user=USER, **certificate) as office:
        url = f"smtp://{QUOTED}@127.0.0.1:{office.port}"
        assert (await send_and_receive(url, office)).encrypted


async def test_password_is_never_sent_unencrypted_to_a_remote_server(
    post_office_opener: OpenOffice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MailServer, "is_here", False)
    with post_office_opener(tmp_path, user=USER) as office:
        why = await unavailable_reason(f"smtp://{QUOTED}@127.0.0.1:{office.port}")
    assert why == "it does not encrypt, so the password was not sent to it."


async def test_errors_are_described_in_plain_words(
    post_office_opener: OpenOffice, tmp_path: Path
) -> None:
    found, key = make_certificate(tmp_path)
    tls = {"certificate": str(found), "key": str(key)}
    with post_office_opener(tmp_path, user=USER, **tls) as office:
        at = f"127.0.0.1:{office.port}"
        assert "certificate is not to be trusted" in await unavailable_reason(
            f"smtp+starttls://{at}"
        )
        assert await unavailable_reason(f"smtp://ada:wrong@{at}") == (
            "it does not accept the user and the password (535)."
        )
        assert "speaks no TLS at this port" in await unavailable_reason(f"smtps://{at}")
    assert "it cannot be reached (" in await unavailable_reason(f"smtp://{at}")
    assert (
        await unavailable_reason("smtp://no-such-host.invalid")
        == "there is no machine of this name."
    )


async def test_missing_server_extension_is_not_used(office: PostOffice) -> None:
    at = f"127.0.0.1:{office.port}"
    assert "it offers no STARTTLS" in await unavailable_reason(f"smtp+starttls://{at}")
    assert "it takes no user and no password" in await unavailable_reason(f"smtp://ada:secret@{at}")


async def test_unicode_address_requires_smtputf8(
    post_office_opener: OpenOffice, tmp_path: Path
) -> None:
    mail = Email("shelf@example.org", "zoë@home.local", b"Subject: x\r\n\r\nx")
    refused = pytest.raises(Refused, match="plain letters")
    with post_office_opener(tmp_path, utf8=False) as office, refused:
        await send_and_receive(office.url, office, mail)


async def test_silent_server_times_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server, "STEP_TIMEOUT_SECONDS", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"smtp://127.0.0.1:{silent.getsockname()[1]}"
        assert await unavailable_reason(url) == "it does not answer in time."


@pytest.mark.parametrize(
    ("home", "name"),
    [
        ("https://shelf.example:8443", "shelf.example"),
        ("http://192.168.0.7:8000", "[192.168.0.7]"),
        ("http://[fd00::1]", "[IPv6:fd00::1]"),
        ("https://bücher.example", "xn--bcher-kva.example"),
    ],
)
def test_helo_has_the_public_host(home: str, name: str) -> None:
    assert helo_name(home) == name


def test_doctor_reports_whether_mail_can_be_sent(tmp_path: Path, office: PostOffice) -> None:
    well = run(tmp_path, "doctor", **office.variables)
    assert well.returncode == 0, well.stdout
    assert f"ok    mail: 127.0.0.1:{office.port} sends it, from shelf@example.org." in well.stdout
    office.close()
    ill = run(tmp_path, "doctor", **office.variables)
    assert ill.returncode == 1
    assert f"WRONG mail: 127.0.0.1:{office.port} sends nothing for us: it cannot be " in ill.stdout
    half = run(tmp_path, "doctor", HOMESHELF_SMTP_URL=office.url)
    assert "WRONG mail: none is sent until HOMESHELF_MAIL_FROM and HOMESHELF_PUBLIC_URL" in (
        half.stdout
    )
