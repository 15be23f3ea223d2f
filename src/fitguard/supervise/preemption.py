"""How schedulers ask a run to leave: by which signal, and with how much time."""

import signal
from collections.abc import Iterable, Mapping

from fitguard.schema.exit_codes import UsageError

_CHOICES = ("SIGUSR1", "SIGUSR2", "SIGXCPU", "SIGPWR", "SIGTERM", "SIGHUP")
_GRACE_SECONDS = 25.0
"""Kubernetes gives 30."""
_DOCKER_SECONDS = 8.0
"""`docker stop` gives 10."""
_LONGEST_SECONDS = 3600.0
_SPARE_SECONDS = 5.0
"""Left for what comes after the snapshot."""


def read_signals(words: Iterable[str]) -> tuple[int, ...]:
    """The signals of `--preempt-signal`: `SIGUSR1`, `USR1` or `10`.

    Raises:
        UsageError: for what cannot be used so.
    """
    return tuple(_read_signal(word) for word in words)


def _read_signal(word: str) -> int:
    name = word.strip().upper()
    for choice in _CHOICES:
        number = signal.Signals[choice]
        if name in (choice, choice.removeprefix("SIG"), str(int(number))):
            return int(number)
    raise UsageError(
        f"Received --preempt-signal {word}. Expected a signal that a scheduler sends: "
        f"{', '.join(_CHOICES)}"
    )


def measure_grace(
    given: float | None,
    environment: Mapping[str, str],
    now: float,
    end: float | None = None,
    *,
    is_init: bool = False,
) -> float:
    """Seconds until a training that was asked to leave is killed.

    Args:
        given: What the user said; that counts.
        environment: Slurm tells in it when the job ends; Kubernetes is known by it.
        now: Seconds since 1970, as `end`: when the machine goes, where somebody told.
        is_init: This is the first process of a container.
    """
    if given is not None:
        return given
    if end is None:
        told = environment.get("SLURM_JOB_END_TIME", "")
        end = float(told) if told.isdigit() else now
    left = end - now - _SPARE_SECONDS
    if _GRACE_SECONDS < left < _LONGEST_SECONDS:
        return left
    in_docker = is_init and "KUBERNETES_SERVICE_HOST" not in environment
    return _DOCKER_SECONDS if in_docker else _GRACE_SECONDS
