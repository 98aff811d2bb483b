"""The certificate that Homeshelf serves with, where no proxy does that for it."""

import ssl
from pathlib import Path


def load_certificate(certificate: Path, key: Path) -> ssl.SSLContext:
    """Load a certificate and its key; raise OSError or ValueError for files that do not fit."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["http/1.1"])
    context.load_cert_chain(certificate, key, _refuse_password)
    return context


def _refuse_password() -> str:
    raise ValueError("the key has a password")
