"""Which doors of a Ray cluster stand open: whoever reaches one runs code on all of its nodes.

Ray 2.52 and newer let in only who has the token, if `RAY_AUTH_MODE=token` is set everywhere; TLS
(`RAY_USE_TLS=1` and the files of `RAY_TLS_*`) also keeps others from reading along.
"""

import ipaddress
import os
from collections.abc import Iterable, Mapping

from fitguard.schema.exit_codes import UsageError

TLS_FILES = ("RAY_TLS_SERVER_CERT", "RAY_TLS_SERVER_KEY", "RAY_TLS_CA_CERT")
_LOOPBACK_NAMES = ("localhost", "ip6-localhost")


def find_open_doors(
    addresses: Iterable[str], environment: Mapping[str, str], *, has_token: bool
) -> tuple[str, ...]:
    """What the user should set, one sentence each; nothing for a cluster inside of one machine.

    Args:
        addresses: Of the nodes, and the one that was connected to.
        has_token: Ray asks for a token, as it tells itself.
    """
    if all(is_loopback(address) for address in addresses):
        return ()
    found = []
    if not has_token:
        found.append(
            "This Ray cluster lets in everybody who reaches its ports: set RAY_AUTH_MODE=token, "
            "and the same RAY_AUTH_TOKEN_PATH or RAY_AUTH_TOKEN, on all nodes and here."
        )
    if not uses_tls(environment):
        found.append(
            "What goes between the nodes of this Ray cluster can be read and changed on the "
            f"network: set RAY_USE_TLS=1 and {', '.join(TLS_FILES)} on all nodes and here, "
            "or keep the network to yourself."
        )
    return tuple(found)


def name_keys(environment: Mapping[str, str]) -> str:
    """What to compare with the cluster, where somebody listens at its address and says no."""
    mode = environment.get("RAY_AUTH_MODE") or "not set"
    tls = environment.get("RAY_USE_TLS") or "not set"
    return (
        "Somebody listens there. If it is a Ray of the same version, compare what the cluster was "
        f"started with: RAY_AUTH_MODE (here: {mode}), the token in RAY_AUTH_TOKEN, "
        f"RAY_AUTH_TOKEN_PATH or ~/.ray/auth_token, RAY_USE_TLS (here: {tls}) and "
        f"{', '.join(TLS_FILES)}."
    )


def require_tls_files(environment: Mapping[str, str]) -> None:
    """Where TLS is on, its files must be there: without them Ray waits, or fails far from here.

    Raises:
        UsageError: for one that is not set, or cannot be read.
    """
    if not uses_tls(environment):
        return
    for name in TLS_FILES:
        file = environment.get(name, "")
        if not os.access(file, os.R_OK):
            received = f"{name}={file}, which cannot be read" if file else f"no {name}"
            raise UsageError(
                f"Received RAY_USE_TLS={environment['RAY_USE_TLS']} and {received}. Expected the "
                f"files of {', '.join(TLS_FILES)}, on all nodes and here"
            )


def uses_tls(environment: Mapping[str, str]) -> bool:
    """Whether Ray encrypts."""
    return environment.get("RAY_USE_TLS", "0").lower() in ("1", "true")


def is_loopback(address: str) -> bool:
    """Whether only this machine reaches it: `127.0.0.1`, `[::1]:6379`, `ray://localhost:10001`."""
    host = address.partition("://")[2] or address
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    if host in _LOOPBACK_NAMES:
        return True
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return (mapped or found).is_loopback
