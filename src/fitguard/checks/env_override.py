"""An environment variable turns off, or spoils, what a training wants."""

import re
from collections.abc import Iterator

from fitguard import shell
from fitguard.checks.derived.gpu_code import GpuCode
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix

# Without a GPU these variables do nothing.
_FOR_GPUS = ("CUDA_", "NCCL_", "TF_CUDNN_", "TF_GPU_", "TF_FORCE_GPU_")
_LONGEST = 30
_INTERFACE = "NCCL_SOCKET_IFNAME"
_CUDA_LIBRARY = re.compile(r"lib(cu(da|dart|dnn|blas|fft|solver|sparse|rand)|nccl|nvinfer)\w*\.so")


@check("FG704", "env-override")
def env_override(
    environment: dict[str, str],
    facts: Facts,
    knowledge: Knowledge,
    gpu_codes: tuple[GpuCode, ...] | None = None,
) -> Iterator[Finding]:
    """
    ## What it means
    A variable is set that changes what TensorFlow, Keras, XLA or CUDA do, with a value that
    disables something, slows it down, or cannot be understood. Often it is left over from a search
    for a fault, comes from a copied job script, or is set in the image of a container.

    ## Why training crashes
    That depends on the variable; the title says what it does. With CUDA_DISABLE_PTX_JIT a GPU whose
    code has to be compiled gets *no kernel image is available*. With LD_PRELOAD of a CUDA library
    that one is used instead of the one TensorFlow was built with. With NCCL_SOCKET_IFNAME of an
    interface that is not there, NCCL stops: *Bootstrap : no socket interface found*.

    ## How to fix it
    Unset the variable before Python starts, unless you set it on purpose. Look for where it is set:
    `~/.bashrc`, job script, Dockerfile, `docker run -e`, notebook kernel, the program itself.

    ## When this is wrong
    Where it is set on purpose, for instance CUDA_LAUNCH_BLOCKING in a search for a fault, or
    NCCL_P2P_DISABLE because NCCL hangs without it. Then ignore this check with `--ignore FG704`.
    CUDA_VISIBLE_DEVICES has its own check, gpu-hidden. NCCL is used by several GPUs only: for one
    GPU its variables are not looked at.

    ## References
    - NVIDIA CUDA C++ Programming Guide: CUDA environment variables
    - TensorFlow source: gpu_process_state.cc, gpu_bfc_allocator.cc
    - NVIDIA NCCL documentation: environment variables
    - Keras documentation: configuring the backend
    """
    # Whether a GPU at hand needs kernels that the driver compiles.
    compiles = any(entry.code in ("ptx", "mostly-ptx") for entry in gpu_codes or ())
    several = _train_together(facts)
    for row in knowledge.overrides.table.rows:
        value = environment.get(row.name)
        idle = facts.gpus == () and row.name.startswith(_FOR_GPUS)
        if value is None or idle or not row.applies(value):
            continue
        if (row.needs == "ptx" and not compiles) or (row.needs == "several" and not several):
            continue
        yield Finding(
            severity=row.severity,
            title=f"{row.name}={_short(value)}: {row.effect}",
            evidence=(
                Evidence(f"{row.name}={value}", "environment variable"),
                Evidence(row.source, knowledge.overrides.table.reference),
            ),
            fix=_unset(row.name, facts),
        )
    yield from _judge_preload(environment, facts)
    if several:
        yield from _judge_interfaces(environment, facts)


def _train_together(facts: Facts) -> bool:
    """Whether NCCL may be used: by several GPUs, here or on other machines."""
    others = facts.cluster is not None and len(facts.cluster.tasks) > 1
    return facts.gpus != () and (facts.gpus is None or len(facts.gpus) > 1 or others)


def _judge_interfaces(environment: dict[str, str], facts: Facts) -> Iterator[Finding]:
    """NCCL_SOCKET_IFNAME: a list of beginnings; `=` for whole names, `^` for all others."""
    value = environment.get(_INTERFACE, "").strip()
    known = facts.host.interfaces if facts.host is not None else None
    if not value or not known:
        return
    excluding = value.startswith("^")
    wanted = value.removeprefix("^")
    exact = wanted.startswith("=")
    names = [name.strip() for name in wanted.removeprefix("=").split(",") if name.strip()]

    def is_named(interface: str) -> bool:
        return any(interface == name if exact else interface.startswith(name) for name in names)

    # Left to itself, NCCL takes the loopback only where there is nothing else.
    if any(is_named(interface) != excluding for interface in known):
        return
    yield Finding(
        title=f"{_INTERFACE}={_short(value)}: no network interface here is left for NCCL",
        evidence=(
            Evidence(f"{_INTERFACE}={value}", "environment variable"),
            Evidence(", ".join(known), "network interfaces"),
        ),
        fix=Fix(
            text="Unset it, or name an interface that exists and that the other machines reach.",
            commands=(shell.unset_variable(facts, _INTERFACE), *shell.posix_only(facts, "ip link")),
        ),
    )


def _judge_preload(environment: dict[str, str], facts: Facts) -> Iterator[Finding]:
    value = environment.get("LD_PRELOAD", "")
    libraries = [item for item in re.split(r"[:\s]+", value) if _CUDA_LIBRARY.search(item)]
    if not libraries or facts.gpus == ():
        return
    yield Finding(
        severity="warning",
        title=f"LD_PRELOAD forces {libraries[0].rsplit('/', 1)[-1]} on every program",
        evidence=(Evidence(f"LD_PRELOAD={value}", "environment variable"),),
        fix=_unset("LD_PRELOAD", facts),
    )


def _short(value: str) -> str:
    return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"


def _unset(name: str, facts: Facts) -> Fix:
    return Fix(
        text="Unset it before Python starts, unless it is set on purpose.",
        commands=(shell.unset_variable(facts, name),),
    )
