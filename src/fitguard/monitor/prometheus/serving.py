"""An address that Prometheus scrapes."""

import contextlib
import importlib.util
import re
from collections.abc import Callable, Iterable, Iterator

from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import UsageError

_ADDRESS = re.compile(r"(?:(?P<host>[^\s:]+|\[[0-9A-Fa-f:.]+\]):)?(?P<port>\d{1,5})")
_HIGHEST_PORT = 65535
LOOPBACK = "127.0.0.1"


def read_address(given: str) -> tuple[str, int]:
    """`[HOST:]PORT` as host and port; without a host, only this machine can read it.

    Raises:
        UsageError: where it is none, or prometheus-client is missing.
    """
    found = _ADDRESS.fullmatch(given)
    if found is None or int(found["port"]) > _HIGHEST_PORT:
        raise UsageError(
            f"Received --metrics {given}. Expected PORT or HOST:PORT, such as 9402 or 0.0.0.0:9402"
        )
    if importlib.util.find_spec("prometheus_client") is None:
        raise UsageError(
            "--metrics needs prometheus-client, which is not installed here. Install it: "
            "pip install 'fitguard[prometheus]'"
        )
    return (found["host"] or LOOPBACK).strip("[]"), int(found["port"])


def format_address(host: str, port: int) -> str:
    """What Prometheus, and a browser, is given."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/metrics"


@contextlib.contextmanager
def serving_metrics(
    address: tuple[str, int], list_folders: Callable[[], Iterable[RunFolder]]
) -> Iterator[int]:
    """Serve `/metrics` while it lasts, in threads; the port.

    Args:
        list_folders: Of the runs that are served; called for each scrape.

    Raises:
        OSError: where the address is taken, or not of this machine.
    """
    # Loaded only now: it is an extra, and takes 100 ms.
    from prometheus_client import CollectorRegistry, start_http_server

    from fitguard.monitor.prometheus.collector import RunCollector

    registry = CollectorRegistry()
    registry.register(RunCollector(list_folders))
    host, port = address
    server, thread = start_http_server(port, host, registry)
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
