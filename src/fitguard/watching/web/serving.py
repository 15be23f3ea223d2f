"""A server on a socket, until it is told to end."""

import secrets
import socket
from collections.abc import Callable

from fitguard.schema.exit_codes import UsageError
from fitguard.watching.web.board import Board

LOOPBACK = "127.0.0.1"
_CLOSE_SECONDS = 1


def serve(
    board: Board, tell: Callable[[str], None], *, host: str = LOOPBACK, port: int = 0
) -> None:
    """Serve the page until Ctrl-C.

    Args:
        tell: Called with the address, once it answers.
        host: Address to listen at; by default only programs of this machine can connect.
        port: 0 for any that is free.

    Raises:
        UsageError: where the port cannot be had, or the extra `web` is not installed.
    """
    try:
        import uvicorn

        from fitguard.watching.web.app import build_app
    except ImportError as error:
        missing = (error.name or "").partition(".")[0]
        raise UsageError(
            f"Received --web, but {missing} is not installed. Expected `pip install "
            '"fitguard[web]"`'
        ) from error
    listening = _listen(host, port)
    token = secrets.token_urlsafe(16)
    with listening:
        shown = f"[{host}]" if ":" in host else host
        tell(f"http://{shown}:{listening.getsockname()[1]}/?token={token}")
        config = uvicorn.Config(
            build_app(board, token),
            log_level="critical",
            access_log=False,
            # Streams never end by themselves.
            timeout_graceful_shutdown=_CLOSE_SECONDS,
            server_header=False,
        )
        uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        said = error.strerror or "" if isinstance(error, OSError) else str(error)
        problem = said.partition(" (while")[0].rstrip(".")
        raise UsageError(
            f"Received --host {host} --port {port}: {problem}. Expected an address of this "
            "machine, and a port that is free (1024 to 65535), or no --port for any"
        ) from error
