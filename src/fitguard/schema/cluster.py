"""Facts about the processes that train together, on this machine and on others."""

import msgspec


class ClusterTask(msgspec.Struct, frozen=True, kw_only=True):
    """One process of a cluster. Its address is not kept: reports go to strangers.

    Args:
        name: Role and number, as TF_CONFIG counts: `worker 0`.
        own: Whether it is the process that TF_CONFIG was set for.
        problem: What is wrong with its address; empty where nothing is.
        same_as: The task in front of it with the same address.
        loopback: Whether the address is one that only its own host can reach (`localhost`).
        resolves: Whether the name of the host is known here; None where that was not found out.
        on_this_host: Whether the address is one of this host's.
        answers: Whether something accepts connections there now. For the own task it means that
            another process holds its port.
        holder: That process, where it can be seen: `process 4711 (python)`.
        refused: Why the own port cannot be opened; empty where it can.
    """

    name: str
    role: str
    index: int
    own: bool = False
    port: int | None = None
    problem: str = ""
    same_as: str | None = None
    loopback: bool = False
    resolves: bool | None = None
    on_this_host: bool | None = None
    answers: bool | None = None
    holder: str | None = None
    refused: str = ""


class Cluster(msgspec.Struct, frozen=True, kw_only=True):
    """What the environment says of other processes; all empty where it says nothing.

    Args:
        configured: Whether TF_CONFIG is set.
        unreadable: Why TF_CONFIG cannot be read; empty where it can.
        role, index: Of this process, as TF_CONFIG says it; None where it does not.
        launcher: What started several processes together: `horovodrun` or `mpirun`.
        processes: How many it started.
    """

    configured: bool = False
    unreadable: str = ""
    role: str | None = None
    index: int | None = None
    tasks: tuple[ClusterTask, ...] = ()
    launcher: str | None = None
    processes: int | None = None

    @property
    def own(self) -> ClusterTask | None:
        """The task of this process; None where no task of the cluster is."""
        return next((task for task in self.tasks if task.own), None)

    @property
    def peers(self) -> tuple[ClusterTask, ...]:
        """The tasks of all other processes."""
        return tuple(task for task in self.tasks if not task.own)
