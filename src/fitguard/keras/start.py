"""How the process was started: who gives other arguments or settings means them."""

import hashlib
import os
import re
import sys

_OF_THE_ATTEMPT = ("TF_", "CUDA_", "XLA_", "NCCL_", "LD_", "MALLOC_", "FITGUARD", "SSH_")
"""What fitguard itself, or a login, sets anew for an attempt."""
_OF_THE_QUEUE = ("SLURM", "SBATCH_", "SRUN_", "PBS_", "LSB_", "KUBERNETES_", "NVIDIA_", "GPU_")
_OF_A_SERVICE = re.compile(r".*_(?:SERVICE_(?:HOST|PORT)|PORT)(?:_.*)?")
"""Kubernetes gives each pod the addresses of all services of the moment."""
_OF_THE_HOST = frozenset(
    ("HOSTNAME", "HOST", "USER", "LOGNAME", "HOME", "TMPDIR", "MAIL", "INVOCATION_ID")
)
_OF_THE_SHELL = frozenset(("_", "SHLVL", "PWD", "OLDPWD", "TERM", "COLUMNS", "LINES"))


def digest_start() -> str:
    """The same for processes with the same arguments and settings, on whatever host."""
    settings = sorted(
        f"{name}={value}" for name, value in os.environ.items() if not _changes_alone(name)
    )
    text = "\0".join([*sys.argv[1:], "", *settings])
    return hashlib.blake2b(text.encode(errors="surrogateescape"), digest_size=16).hexdigest()


def _changes_alone(name: str) -> bool:
    """Whether a variable may be another one without anybody's wish."""
    return (
        name.startswith((*_OF_THE_ATTEMPT, *_OF_THE_QUEUE))
        or name in _OF_THE_SHELL | _OF_THE_HOST
        or _OF_A_SERVICE.fullmatch(name) is not None
    )
