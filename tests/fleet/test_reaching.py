"""Who listens at an address, and whether both sides use TLS: told within seconds."""

import contextlib
import socket
import ssl
import threading

import pytest
from fleet.certificates import make_certificates

from fitguard.fleet.reaching import require_reachable
from fitguard.schema.exit_codes import UsageError


@contextlib.contextmanager
def listening(certificates=None):
    """A server that ends all that it gets, behind TLS where it has certificates."""
    context = None
    if certificates:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        names = ("RAY_TLS_SERVER_CERT", "RAY_TLS_SERVER_KEY")
        context.load_cert_chain(*(certificates[name] for name in names))
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    connection = server.accept()[0]
                    with connection, contextlib.suppress(OSError):
                        if context:
                            context.wrap_socket(connection, server_side=True).close()
                        else:
                            connection.recv(1)

        threading.Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    return make_certificates(tmp_path_factory.mktemp("tls"))


def test_nobody_listens():
    with listening() as address:
        pass
    with pytest.raises(UsageError, match="Expected that of a Ray cluster"):
        require_reachable(address, {})


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_both_without_tls(scheme):
    with listening() as address:
        assert require_reachable(scheme + address, {})
    assert not require_reachable("auto", {})


def test_both_with_tls(certificates):
    with listening(certificates) as address:
        assert require_reachable(address, certificates)


def test_tls_on_one_side_only(certificates):
    with listening(certificates) as address, pytest.raises(UsageError, match="no RAY_USE_TLS"):
        require_reachable(address, {})
    with listening() as address, pytest.raises(UsageError, match="Received RAY_USE_TLS=1"):
        require_reachable(address, certificates)


def test_another_authority(certificates):
    other = {name: text.replace("ca.crt", "other.crt") for name, text in certificates.items()}
    with listening(certificates) as address, pytest.raises(UsageError, match="VERIFY_FAILED"):
        require_reachable(address, other)
