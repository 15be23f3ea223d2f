"""The container (or WSL) was not given the GPU that its host has."""

from collections.abc import Iterator

from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.hardware import Container, Driver

# Images that are made for GPUs set these.
_MARKS = ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_REQUIRE_CUDA")
_TEST = "docker run --rm --gpus all ubuntu nvidia-smi"
_WAYS = {
    "docker": (
        "Install the NVIDIA Container Toolkit on the host, and restart the container with "
        "--gpus all (docker compose: a device reservation with the driver nvidia).",
        (_TEST,),
    ),
    "podman": (
        "Install the NVIDIA Container Toolkit on the host, write its CDI file (nvidia-ctk cdi "
        "generate), and restart the container with --device nvidia.com/gpu=all.",
        ("podman run --rm --device nvidia.com/gpu=all ubuntu nvidia-smi",),
    ),
    "kubernetes": (
        "Ask for the GPU in the pod's resources (limits: nvidia.com/gpu: 1); the node needs "
        "NVIDIA's device plugin and perhaps runtimeClassName: nvidia.",
        (),
    ),
    "singularity": ("Restart it with the option --nv, which brings the host's driver in.", ()),
    "lxc": ("Pass the device files and the driver's libraries into the container.", ()),
}


@check("FG703", "container-no-gpu")
def container_no_gpu(driver: Driver, facts: Facts) -> Iterator[Finding]:
    """
    ## What it means
    A container sees a GPU only if it is passed in: the device files (`/dev/nvidia0`,
    `/dev/nvidiactl`, `/dev/nvidia-uvm`) and the driver's libraries (`libcuda.so.1`). The NVIDIA
    Container Toolkit does both, when it is asked to. The image cannot bring the driver.

    WSL2 has a single device for all GPUs, `/dev/dxg`. Where it is missing, this is WSL 1 or Windows
    lacks a driver with WSL support.

    ## Why training crashes
    It does not: TensorFlow says *Could not find cuda drivers on your machine* or *failed call to
    cuInit* and trains on the CPU. Programs that insist on a GPU stop with *libcuda.so.1: cannot
    open shared object file*.

    ## How to fix it
    - docker: `--gpus all`. docker compose: `deploy.resources.reservations.devices` with
      `driver: nvidia`, `count: all`, `capabilities: [gpu]`.
    - podman: `--device nvidia.com/gpu=all`. Singularity, Apptainer: `--nv`.
    - Kubernetes: `resources.limits: nvidia.com/gpu: 1`, and NVIDIA's device plugin on the node.
    - `NVIDIA_DRIVER_CAPABILITIES`, if it is set, must hold `compute` (or be `all`).
    - WSL: `wsl --update`, `wsl --set-version <distribution> 2`, a current driver on Windows.

    ## When this is wrong
    Where the container is meant to train on the CPU of a host with a GPU. A GPU image on a host
    without any GPU is not reported.

    ## References
    - NVIDIA Container Toolkit: installation guide; specialised configurations (variables)
    - NVIDIA, CUDA on WSL user guide
    """
    if facts.container is None and not _is_wsl(facts):
        raise Missing("whether this is a container is not known")
    container = facts.container or Container()
    if container.runtime is not None:
        yield from _not_passed_in(container, driver, facts)
        yield from _without_compute(container, facts)
    elif _is_wsl(facts):
        yield from _without_dxg(driver, facts)


def _is_wsl(facts: Facts) -> bool:
    return facts.platform is not None and facts.platform.wsl


def _not_passed_in(container: Container, driver: Driver, facts: Facts) -> Iterator[Finding]:
    nodes = [node for node in driver.nodes if node.path != "/dev/nvidiactl"]
    if facts.gpus or (nodes and driver.version is not None):
        return
    environment = facts.environment or {}
    marks = [name for name in _MARKS if environment.get(name, "void") not in ("", "none", "void")]
    hidden = environment.get("NVIDIA_VISIBLE_DEVICES") in ("none", "void")
    if hidden or not (container.host_has_gpu or (marks and driver.pci != ())):
        return
    lacking = "the driver's libraries" if nodes else "the device files and the driver"
    text, commands = _WAYS.get(container.runtime or "", _WAYS["docker"])
    place = " Run the command on the host to test it." if commands else ""
    yield Finding(
        title=f"The GPU was not passed into this {container.runtime} container: it lacks {lacking}",
        confidence="high" if container.host_has_gpu else "medium",
        evidence=(
            Evidence(f"container: {container.runtime}", container.evidence or "file system"),
            *_host_evidence(container, [f"{name}={environment[name]}" for name in marks]),
            Evidence(
                f"device files: {', '.join(node.path for node in nodes) or 'none'}; "
                f"libcuda: {driver.version or 'none'}",
                "/dev and the library folders",
            ),
        ),
        fix=Fix(text=text + place, commands=commands),
    )


def _host_evidence(container: Container, marks: list[str]) -> Iterator[Evidence]:
    if container.host_has_gpu:
        yield Evidence("the host's kernel has NVIDIA's driver loaded", "/proc/driver/nvidia")
    for mark in marks:
        yield Evidence(mark, "environment variable")


def _without_compute(container: Container, facts: Facts) -> Iterator[Finding]:
    value = (facts.environment or {}).get("NVIDIA_DRIVER_CAPABILITIES", "")
    words = {word.strip() for word in value.split(",") if word.strip()}
    if not words or words & {"compute", "all"} or not (facts.gpus or container.host_has_gpu):
        return
    yield Finding(
        title=f'NVIDIA_DRIVER_CAPABILITIES="{value}" leaves CUDA out of this container',
        evidence=(
            Evidence(f"NVIDIA_DRIVER_CAPABILITIES={value}", "environment variable"),
            Evidence(f"container: {container.runtime}", container.evidence or "file system"),
        ),
        fix=Fix(
            text="Restart the container with NVIDIA_DRIVER_CAPABILITIES=compute,utility.",
            commands=(_TEST.replace("--gpus", "-e NVIDIA_DRIVER_CAPABILITIES=all --gpus"),),
        ),
    )


def _without_dxg(driver: Driver, facts: Facts) -> Iterator[Finding]:
    # A supposed machine has no list of its devices.
    looked = driver.pci is not None
    if not looked or facts.gpus or any(node.path == "/dev/dxg" for node in driver.nodes):
        return
    yield Finding(
        title="This WSL has no access to the GPU: /dev/dxg is missing",
        evidence=(Evidence("no /dev/dxg", "/dev"),),
        fix=Fix(
            text="Update WSL, make sure that the distribution runs as WSL 2, and install a current "
            "NVIDIA driver on Windows (none inside WSL).",
            commands=("wsl.exe --update", "wsl.exe --list --verbose"),
        ),
    )
