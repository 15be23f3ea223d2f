"""The way to Ray: an embedded one on this machine, or a cluster that runs already."""

import contextlib
import importlib.util
import io
import logging
import os
import secrets
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fitguard.fleet.declared import CARDS_VARIABLE, read_declared
from fitguard.fleet.doors import find_open_doors, is_loopback, name_keys, require_tls_files
from fitguard.fleet.own_folder import making_folder
from fitguard.fleet.reaching import require_reachable
from fitguard.fleet.without_ray import WithoutRay
from fitguard.schema.exit_codes import ClusterLost, UsageError
from fitguard.words import one_line, short, size

_STORE_BYTES = 100 * 2**20
"""Of Ray's object store: the fleet sends words, no arrays."""
_LONGEST_REASON = 300
_ONLY_LOOPBACK = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""Ray binds its ports to loopback where it is 0, as it does by itself on macOS and Windows."""


def require_ray() -> None:
    """Tell how to get Ray, where it is not installed.

    Raises:
        UsageError: where it is not.
    """
    try:
        found = importlib.util.find_spec("ray")
    except ValueError:  # it was kept from being imported
        found = None
    if found is None:
        raise UsageError(
            'Received a fleet, but Ray is not installed here. Expected it: pip install "fitguard['
            'ray]"'
        )


@contextlib.contextmanager
def connecting(address: str | None, *, local: bool) -> Iterator[tuple[str, ...]]:
    """Connected to Ray inside of it; yields what the user should know of that.

    Args:
        address: `auto`, HOST:PORT or ray://HOST:PORT; None for RAY_ADDRESS, or `auto`.
        local: Start an embedded Ray instead, which ends with this.

    Raises:
        UsageError: where there is no Ray, or no cluster at the address.
    """
    require_ray()
    if local and address is not None:
        raise UsageError(
            f"Received --local and --address {address}. Expected one of them: --local starts a "
            "Ray of its own"
        )
    if local and _is_in_use():
        raise UsageError(
            "Received local=True in a process that is connected to Ray already. Expected one that "
            "is not: call ray.shutdown() before. Without local=True, the fleet uses that connection"
        )
    with (
        contextlib.redirect_stdout(WithoutRay(sys.stdout)),
        _starting_here() if local else _joining(address) as notes,
    ):
        yield notes


def _is_in_use() -> bool:
    """Whether this process has Ray. It is not imported for that: what is set here comes first."""
    loaded = sys.modules.get("ray")
    return loaded is not None and loaded.is_initialized()


@contextlib.contextmanager
def _joining(address: str | None) -> Iterator[tuple[str, ...]]:
    import ray

    wanted = address or os.environ.get("RAY_ADDRESS") or "auto"
    if ray.is_initialized():
        yield _check_doors(wanted)
        return
    require_tls_files(os.environ)
    is_there = require_reachable(wanted, os.environ)
    try:
        ray.init(address=wanted, **_quietly())
    except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        hint = f" {name_keys(os.environ)}" if is_there else ""
        raise UsageError(
            f"Received the address {wanted}: {_find_reason(error).rstrip('.')}.{hint} Expected "
            "that of a Ray cluster that runs. `fitguard fleet run --local` needs none"
        ) from error
    try:
        yield _check_doors(wanted)
    except BrokenPipeError:  # of stdout
        raise
    except ConnectionError as error:
        raise ClusterLost(
            f"The connection to the Ray cluster at {wanted} was lost ({_find_reason(error)}). What "
            "this command has started there ends with it. The same command goes on from the last "
            "snapshots"
        ) from error
    finally:
        _shut_down()


def _find_reason(error: Exception) -> str:
    """What it begins with, and the end of what a server told: between them is a traceback."""
    lines = [one_line(line) for line in str(error).splitlines() if line.strip()]
    return short(" ".join(dict.fromkeys((*lines[:1], *lines[-1:]))), _LONGEST_REASON)


@contextlib.contextmanager
def _starting_here() -> Iterator[tuple[str, ...]]:
    set_here: dict[str, str | None] = {_ONLY_LOOPBACK: "0", "RAY_USAGE_STATS_ENABLED": "0"}
    if "RAY_AUTH_MODE" not in os.environ:
        # Others on this machine reach loopback, too. Ray's own default would leave a file in HOME.
        set_here |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    cards, notes = _choose_cards()
    if cards:
        # Ray would take the numbers of declared cards from the other one: -1, for example.
        set_here |= {CARDS_VARIABLE: cards, "CUDA_VISIBLE_DEVICES": None}
    before = {name: os.environ.get(name) for name in set_here}
    with making_folder() as folder:
        _set_variables(set_here)
        try:
            _start_ray(folder, cards)
            _require_loopback()
            yield notes
        finally:
            _shut_down()
            _set_variables(before)


def _set_variables(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _start_ray(folder: Path, cards: str) -> None:
    import ray

    given = {"num_gpus": len(read_declared(cards))} if cards else {}
    try:
        with _not_for_ray(signal.SIGTERM):
            ray.init(
                address="local",
                include_dashboard=False,
                object_store_memory=_STORE_BYTES,
                _temp_dir=str(folder),
                **given,
                **_quietly(),
            )
    except Exception as error:  # what Ray raises there has no class of its own
        raise UsageError(
            f"Received --local, but Ray does not start here: {_find_reason(error)} Expected a "
            "machine with some processor, memory and disk to spare"
        ) from error


@contextlib.contextmanager
def _not_for_ray(number: signal.Signals) -> Iterator[None]:
    """Processes that start in it do not hear a signal; as Ray itself has it with SIGINT.

    Where all processes of a job get SIGTERM, this one lets the trainings leave, and needs Ray for
    that.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {number})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _shut_down() -> None:
    import ray

    # What it has not told yet of lost nodes, it tells now, in this thread.
    with contextlib.redirect_stdout(io.StringIO()):
        ray.shutdown()


def _quietly() -> dict[str, Any]:
    """What a training writes goes to its log; what Ray says of itself, to Ray's."""
    return {"log_to_driver": False, "configure_logging": False, "logging_level": logging.ERROR}


def _choose_cards() -> tuple[str, tuple[str, ...]]:
    """What is declared of the cards here, and what is to be said of it; nothing where GPUs are."""
    from fitguard.environment.machine import view_machine
    from fitguard.facts import host

    declared = os.environ.get(CARDS_VARIABLE, "")
    if read_declared(declared):
        return declared, ()
    if view_machine(os.environ).gpus:
        return "", ()
    half_bytes = max((host.read().available_bytes or 0) // 2, 2**28)
    return f"CPU:{half_bytes}", (
        "There is no GPU on this machine: trainings share the processor, and half of the free "
        f"memory ({size(half_bytes)}).",
    )


def _require_loopback() -> None:
    import ray

    open_to = [
        node["NodeManagerAddress"]
        for node in ray.nodes()
        if not is_loopback(node["NodeManagerAddress"])
    ]
    if open_to:
        raise UsageError(
            f"Received --local, but the Ray of this process would listen on {open_to[0]}: Ray was "
            f"imported before. Expected {_ONLY_LOOPBACK}=0 in the environment before that"
        )


def _check_doors(address: str) -> tuple[str, ...]:
    import ray

    nodes = [node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]]
    asked = [] if address == "auto" else [address]
    return find_open_doors((*asked, *nodes), os.environ, has_token=_asks_for_token())


def _asks_for_token() -> bool:
    """Whether Ray sends and wants a token: RAY_AUTH_MODE, or a token that it found by itself."""
    # Ray turns the mode on in this very variable where it finds a token.
    return os.environ.get("RAY_AUTH_MODE", "").lower() == "token"
