"""Whether somebody answers at the address of a cluster: Ray itself tries for minutes."""

import contextlib
import socket
import ssl
from collections.abc import Mapping

from fitguard.fleet.doors import TLS_FILES, uses_tls
from fitguard.schema.exit_codes import UsageError

_CONNECT_SECONDS = 10.0


def require_reachable(address: str, environment: Mapping[str, str]) -> bool:
    """Refuse an address that nobody listens at; False for one without a port, left to Ray.

    Raises:
        UsageError: where no connection can be made, or TLS is used on one side only.
    """
    host, separator, port = (address.partition("://")[2] or address).rpartition(":")
    if not separator or not port.isdecimal():
        return False
    place = (host.strip("[]"), int(port))
    try:
        socket.create_connection(place, _CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise UsageError(
            f"Received the address {address}: {error}. Expected that of a Ray cluster that runs: "
            "HOST:6379 of its head, or ray://HOST:10001"
        ) from error
    if uses_tls(environment):
        _require_same_authority(address, place, environment)
    else:
        _require_plain(address, place)
    return True


def _require_same_authority(
    address: str, place: tuple[str, int], environment: Mapping[str, str]
) -> None:
    certificate, key, authority = (environment[name] for name in TLS_FILES)
    try:
        context = ssl.create_default_context(cafile=authority)
        context.load_cert_chain(certificate, key, password="")  # never ask for one
        context.check_hostname = False  # Ray looks at names itself
        _shake_hands(context, place)
    except OSError as error:
        raise UsageError(
            f"Received RAY_USE_TLS={environment['RAY_USE_TLS']} for {address}: {error}. Expected "
            f"a cluster that was started with RAY_USE_TLS=1 and certificates of {authority} "
            "(RAY_TLS_CA_CERT)"
        ) from error


def _require_plain(address: str, place: tuple[str, int]) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with contextlib.suppress(OSError):  # as it should be
        _shake_hands(context, place)
        raise UsageError(
            f"Received the address {address}, where TLS is used, and no RAY_USE_TLS. Expected "
            f"RAY_USE_TLS=1 and {', '.join(TLS_FILES)} of that cluster"
        )


def _shake_hands(context: ssl.SSLContext, place: tuple[str, int]) -> None:
    context.set_alpn_protocols(["h2"])
    with (
        socket.create_connection(place, _CONNECT_SECONDS) as connection,
        context.wrap_socket(connection, server_hostname=place[0]),
    ):
        pass
