"""Test the settings of the mail server and the sender."""

import pytest

from homeshelf.config import BadSetting, read_settings
from homeshelf.config.addresses import Mailbox, MailServer, mail_server, mailbox


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("smtp://localhost", MailServer("localhost", 25, "offered")),
        ("smtp://[::1]:2525/", MailServer("::1", 2525, "offered")),
        ("smtps://mail.example", MailServer("mail.example", 465, "tls")),
        ("smtp+starttls://mail.example", MailServer("mail.example", 587, "starttls")),
        (
            "smtps://ada%40mail.example:p%3A%2F%23@mail.example:1465",
            MailServer("mail.example", 1465, "tls", "ada@mail.example", "p:/#"),
        ),
    ],
)
def test_mail_server_setting_is_a_url(text: str, found: MailServer) -> None:
    assert mail_server(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "mail.example",
        "http://mail.example",
        "smtp://",
        "smtp://mail.example:port",
        "smtp://mail.example/inbox",
        "smtp://mail.example?starttls=yes",
        "smtp://ada@mail.example",
        "smtp://mail .example",
        "smtp://ada:pa/ss@mail.example",
    ],
)
def test_invalid_mail_server_error_shows_a_valid_one(text: str) -> None:
    with pytest.raises(BadSetting, match=r"^HOMESHELF_SMTP_URL must look like smtps://user:"):
        read_settings({"HOMESHELF_SMTP_URL": text})


@pytest.mark.parametrize(
    ("host", "here"),
    [("localhost", True), ("127.0.0.9", True), ("::1", True), ("mail.example", False)],
)
def test_a_mail_server_may_be_on_this_machine(host: str, here: bool) -> None:
    assert MailServer(host, 25, "offered").is_here is here


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("shelf@example.org", Mailbox("shelf@example.org")),
        ("<shelf@example.org>", Mailbox("shelf@example.org")),
        ("Homeshelf <shelf@example.org>", Mailbox("shelf@example.org", "Homeshelf")),
        ('"Böll, Zoë" <a.b+c@x-y.org>', Mailbox("a.b+c@x-y.org", "Böll, Zoë")),
    ],
)
def test_a_sender_is_an_address_with_or_without_a_name(text: str, found: Mailbox) -> None:
    assert mailbox(text) == found


@pytest.mark.parametrize(
    "text", ["shelf", "a@b@c", "shelf@", "x <shelf@example.org", "a@b\nBcc: c@d", "zoë@example.org"]
)
def test_invalid_sender_error_shows_a_valid_one(text: str) -> None:
    with pytest.raises(BadSetting, match=r"^HOMESHELF_MAIL_FROM must be an address such as "):
        read_settings({"HOMESHELF_MAIL_FROM": text})


def test_mail_server_password_is_hidden() -> None:
    settings = read_settings({"HOMESHELF_SMTP_URL": "smtps://ada:hunter2@mail.example"})
    assert "hunter2" not in repr(settings)
    assert "hunter2" not in repr(settings.smtp_url)
