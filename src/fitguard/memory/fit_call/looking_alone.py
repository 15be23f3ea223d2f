"""Scripts that train with other processes: they are looked at alone, and wait for nobody."""

import functools
from collections.abc import Callable
from typing import Any

from fitguard.contract.hooks import Role
from fitguard.contract.libraries import Library
from fitguard.contract.multi_worker import start_alone
from fitguard.contract.patching import Wraps


class LookingAlone:
    """What is done where the script would wait for other processes of its cluster.

    Args:
        leave: Called where it cannot be looked at alone; it does not return.

    Attributes:
        workers: How many train together; 1 where the script trains alone.
        needed: Why the script cannot be looked at alone; empty where it can.
    """

    def __init__(self, leave: Callable[[], Any]) -> None:
        self._leave = leave
        self.workers = 1
        self.needed = ""

    def wraps(self) -> Wraps:
        """What is put around TensorFlow."""
        return {
            Role.WORKERS_AWAITED: self._joining,
            Role.SERVERS_JOINED: self._leaving(
                "ParameterServerStrategy connects to its workers and servers when it is made"
            ),
            Role.SERVING: self._leaving(
                "this process only serves the others (tf.distribute.Server.join)"
            ),
        }

    def describe(self) -> str:
        """What the user should know of what was seen; empty where there is nothing."""
        if self.workers == 1:
            return ""
        return (
            f"The script trains with {self.workers} workers, and was looked at as if this one were "
            "alone. Each batch must divide by the replicas of all workers together."
        )

    def _joining(self, original: Callable[..., Any], _: Library) -> Callable[..., Any]:
        @functools.wraps(original)
        def join(extended: Any, cluster_resolver: Any, devices: Any) -> None:
            self.workers = max(self.workers, start_alone(extended, cluster_resolver, devices))

        return join

    def _leaving(self, why: str) -> Callable[..., Any]:
        def wrap(original: Callable[..., Any], _: Library) -> Callable[..., Any]:
            @functools.wraps(original)
            def leave(*_: Any, **__: Any) -> Any:
                self.needed = self.needed or why
                return self._leave()

            return leave

        return wrap
