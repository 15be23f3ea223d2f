"""A Ray that asks for a token, and one with TLS: what a user reads who has the wrong key."""

import importlib.util

import pytest
from fleet.certificates import make_certificates
from fleet.started import started_ray

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(
        not importlib.util.find_spec("aiohttp"), reason='needs pip install "ray[default]"'
    ),
]
SECONDS = 300
TOKEN = "0123456789abcdef" * 4
KEPT = {"RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S": "200"}


@pytest.fixture(scope="module")
def with_token():
    with started_ray(
        "FakeA:300MiB", RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=TOKEN, **KEPT
    ) as running:
        yield running


@pytest.fixture(scope="module")
def with_tls(tmp_path_factory):
    certificates = make_certificates(tmp_path_factory.mktemp("tls"))
    with started_ray("FakeA:300MiB", **certificates, **KEPT) as running:
        yield running


def look(running, at, **environment):
    """The exit code and the words of `fleet status`; 5 says that it was let in."""
    done = running.fitguard("status", "--address", at, environment=environment, timeout=SECONDS)
    return done.returncode, done.stderr


def test_a_token(with_token, tmp_path):
    for at in (with_token.address, with_token.client):
        assert look(with_token, at)[0] == 5
        code, said = look(with_token, at, RAY_AUTH_TOKEN="f" * 64)
        assert code == 2
        assert "RAY_AUTH_MODE (here: token), the token in RAY_AUTH_TOKEN" in said
        code, said = look(with_token, at, RAY_AUTH_TOKEN="", HOME=str(tmp_path))
        assert code == 2
        assert "RAY_AUTH_TOKEN_PATH" in said


def test_tls(with_tls, tmp_path):
    for at in (with_tls.address, with_tls.client):
        assert look(with_tls, at)[0] == 5
        other = with_tls.environment["RAY_TLS_CA_CERT"].replace("ca.crt", "other.crt")
        code, said = look(with_tls, at, RAY_TLS_CA_CERT=other)
        assert code == 2
        assert "VERIFY_FAILED" in said
        code, said = look(with_tls, at, RAY_TLS_CA_CERT=str(tmp_path / "gone"))
        assert code == 2
        assert "which cannot be read" in said
        code, said = look(with_tls, at, RAY_USE_TLS="0")
        assert code == 2
        assert "where TLS is used" in said
