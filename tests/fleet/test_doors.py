"""Which settings of Ray are told to the user."""

import pytest

from fitguard.fleet.doors import find_open_doors, is_loopback, name_keys, require_tls_files
from fitguard.schema.exit_codes import UsageError

TLS = {
    "RAY_USE_TLS": "1",
    "RAY_TLS_SERVER_CERT": "a",
    "RAY_TLS_SERVER_KEY": "b",
    "RAY_TLS_CA_CERT": "c",
}


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "127.0.0.1:6379", "localhost:6379", "::1", "[::1]:6379", "::ffff:127.0.0.1"],
)
def test_loopback(address):
    assert is_loopback(address)
    assert find_open_doors([address], {}, has_token=False) == ()


@pytest.mark.parametrize("address", ["10.0.0.7", "ray://head:10001", "[fe80::1]:6379", ""])
def test_beyond(address):
    assert not is_loopback(address)


def test_what_is_open_is_told_with_what_to_set():
    token, network = find_open_doors(["127.0.0.1", "10.0.0.7:6379"], {}, has_token=False)
    assert "RAY_AUTH_MODE=token" in token
    assert "RAY_USE_TLS=1" in network


def test_closed_doors_are_not_told():
    assert find_open_doors(["10.0.0.7"], TLS, has_token=True) == ()


def test_tls_without_its_files_is_refused(tmp_path):
    (tmp_path / "file").touch()
    files = {name: str(tmp_path / "file") for name in TLS if name != "RAY_USE_TLS"}
    require_tls_files({})
    require_tls_files({"RAY_USE_TLS": "1", **files})
    for name in files:
        with pytest.raises(UsageError, match=f"no {name}"):
            require_tls_files({"RAY_USE_TLS": "1", **files, name: ""})
        with pytest.raises(UsageError, match=f"{name}=.*gone, which cannot be read"):
            require_tls_files({"RAY_USE_TLS": "true", **files, name: str(tmp_path / "gone")})


def test_what_to_compare_names_what_is_set_here():
    said = name_keys({"RAY_AUTH_MODE": "token"})
    assert "RAY_AUTH_MODE (here: token)" in said
    assert "RAY_USE_TLS (here: not set)" in said
