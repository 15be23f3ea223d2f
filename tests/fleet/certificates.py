"""Certificates for TLS, made by openssl: of a node, its authority, and an authority of others."""

import shutil
import subprocess

import pytest


def make_certificates(folder):
    """The environment of a Ray that uses them; `other.crt` is of nobody there."""
    if not shutil.which("openssl"):
        pytest.skip("needs apt-get install openssl")

    def call(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    key = ("-newkey", "rsa:2048", "-nodes", "-days", "30")
    for name in ("ca", "other"):
        call(
            "req", "-x509", *key, "-keyout", f"{name}.key", "-out", f"{name}.crt", "-subj", "/CN=a"
        )
    call("req", *key[:-2], "-keyout", "node.key", "-out", "node.csr", "-subj", "/CN=node")
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    signing = ("-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names")
    call("x509", "-req", "-in", "node.csr", *signing, "-days", "30", "-out", "node.crt")
    return {
        "RAY_USE_TLS": "1",
        "RAY_TLS_SERVER_CERT": str(folder / "node.crt"),
        "RAY_TLS_SERVER_KEY": str(folder / "node.key"),
        "RAY_TLS_CA_CERT": str(folder / "ca.crt"),
    }
