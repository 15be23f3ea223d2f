"""How the process was started: who gives other arguments or settings means them."""

import hashlib
import os
import sys

_CHANGES = ("TF_", "CUDA_", "XLA_", "NCCL_", "LD_", "MALLOC_", "FITGUARD", "SSH_", "SLURM_")
"""What fitguard itself, or a queue, sets anew for an attempt."""
_OF_THE_SHELL = frozenset(("_", "SHLVL", "PWD", "OLDPWD", "TERM", "COLUMNS", "LINES"))


def digest_start() -> str:
    """The same for processes with the same arguments and settings."""
    settings = sorted(
        f"{name}={value}"
        for name, value in os.environ.items()
        if not name.startswith(_CHANGES) and name not in _OF_THE_SHELL
    )
    text = "\0".join([*sys.argv[1:], "", *settings])
    return hashlib.blake2b(text.encode(errors="surrogateescape"), digest_size=16).hexdigest()
