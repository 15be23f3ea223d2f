"""Whether somebody answers at the address of a cluster: Ray itself tries for minutes."""

import socket

from fitguard.schema.exit_codes import UsageError

_CONNECT_SECONDS = 10.0


def require_reachable(address: str) -> None:
    """Refuse an address that nobody listens at; one without a port is left to Ray.

    Raises:
        UsageError: where no connection can be made.
    """
    host, separator, port = (address.partition("://")[2] or address).rpartition(":")
    if not separator or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise UsageError(
            f"Received the address {address}: {error}. Expected that of a Ray cluster that runs: "
            "HOST:6379 of its head, or ray://HOST:10001"
        ) from error
