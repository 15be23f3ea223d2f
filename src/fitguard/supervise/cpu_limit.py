"""`--memory-limit` without a GPU: a limit for what TensorFlow takes on the CPU."""

from collections.abc import Mapping

from fitguard.environment.machine import view_machine

_MIB = 2**20
_ALLOCATOR = "TF_CPU_ALLOCATOR_USE_BFC"
_LIMIT = "TF_CPU_BFC_MEM_LIMIT_IN_MB"


def limit_cpu(environment: Mapping[str, str], limit_bytes: int) -> dict[str, str]:
    """The variables that set the limit; none where the training will see a GPU.

    Args:
        environment: Of the training. A lower limit of the user's own stays.
    """
    if view_machine(environment).gpus:
        return {}
    wanted = limit_bytes // _MIB
    own = environment.get(_LIMIT, "")
    if environment.get(_ALLOCATOR) in ("1", "true") and own.isdecimal():
        wanted = min(wanted, int(own))
    return {_ALLOCATOR: "1", _LIMIT: str(wanted)}
