"""What must be the same where autotuning results are used again, in a digest.

XLA compares the kind of card, the code of the kernel, and from TensorFlow 2.21 on cuDNN. It does
not compare the driver, cuBLAS, the flags under which a kernel was chosen, or how much memory there
was for it. Whether operations shall be deterministic is a line of the script or an argument, so
these count, too.
"""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from fitguard.facts.interpreter import Interview
from fitguard.schema.hardware import Gpu
from fitguard.supervise.command import Command

_OF_KERNELS = (
    "CUBLAS",
    "CUDNN_",
    "LD_LIBRARY_PATH",
    "NVIDIA_TF32_OVERRIDE",
    "TF_CUDNN_",
    "TF_DETERMINISTIC_OPS",
    "TF_XLA_FLAGS",
    "XLA_",
)
"""How variables begin on which the choice of kernels depends."""
_PACKAGES = ("tensorflow", "tf-nightly", "nvidia-")


def digest_circumstances(
    command: Command,
    environment: Mapping[str, str],
    memory_limit_bytes: int | None,
    there: Interview,
    driver: str | None,
    gpus: Iterable[Gpu],
) -> str:
    """The same for processes that would choose the same kernels.

    Args:
        memory_limit_bytes: That the training may take of each GPU.
        there: What the interpreter tells that trains.
        gpus: Those that the training sees.

    Raises:
        OSError: where the script cannot be read.
    """
    target = command.target
    program = target if target[0] == "-m" else Path(target[0]).read_bytes()
    installed = there.packages.found if there.packages is not None else ()
    facts = (
        program,
        command.arguments,
        memory_limit_bytes,
        driver,
        sorted({(gpu.name, gpu.compute_capability) for gpu in gpus}, key=repr),
        sorted((one.name, one.version) for one in installed if one.name.startswith(_PACKAGES)),
        there.tensorflow.version if there.tensorflow is not None else None,
        sorted(pair for pair in environment.items() if pair[0].startswith(_OF_KERNELS)),
    )
    return hashlib.sha256(repr(facts).encode(errors="surrogateescape")).hexdigest()[:32]
