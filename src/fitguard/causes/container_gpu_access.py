"""The container, or WSL, was not given the GPU."""

from fitguard.causes.derived import surroundings
from fitguard.causes.derived.cuinit import refusals
from fitguard.causes.derived.unseen import unseen
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.schema.crash import Story
from fitguard.schema.finding import Finding, Fix

_TEST = "docker run --rm --gpus all ubuntu nvidia-smi"
_NOTHING_PASSED_IN = {
    "NO_DEVICE": 0.6,
    "NO_LIBRARY": 0.72,
    "STUB_LIBRARY": 0.6,
    "OPERATING_SYSTEM": 0.5,
    "NOT_PERMITTED": 0.6,
    "UNKNOWN": 0.4,
    "": 0.45,
}


@cause("container-gpu-access")
def container_gpu_access(story: Story) -> Verdict | None:
    """
    ## What it means
    A container sees a GPU only if it is passed in: the device files and the driver's libraries. The
    NVIDIA Container Toolkit does that when it is asked (`--gpus all`). An image cannot bring the
    driver. WSL2 passes the GPU through from Windows, with libraries in `/usr/lib/wsl/lib`; a driver
    or a CUDA package with its own `libcuda` installed inside WSL hides them.

    ## How to be sure
    - Run `nvidia-smi` on the host and inside. Works outside, fails inside: this is it.
    - docker itself says *could not select device driver "" with capabilities: [[gpu]]* where the
      toolkit is not installed, and NVIDIA's images say *The NVIDIA Driver was not detected*.
    - TensorFlow inside logs *failed call to cuInit: UNKNOWN ERROR (-1)* or *(303)*, or *no NVIDIA
      GPU device is present: /dev/nvidia0 does not exist*.

    ## How to fix it
    - docker: install the NVIDIA Container Toolkit on the host, restart docker, add `--gpus all`.
      compose: a device reservation with `driver: nvidia`, `capabilities: [gpu]`.
    - podman: `--device nvidia.com/gpu=all`. Singularity, Apptainer: `--nv`. Kubernetes: the limit
      `nvidia.com/gpu: 1` and the device plugin. During `docker build` there is no GPU.
    - A container that loses the GPU after a while (*NVML: Unknown Error*): systemd took the device
      rules back; pass the device files by name, or use the cgroupfs driver.
    - WSL: a current driver on Windows, `wsl --update`, WSL 2, `/usr/lib/wsl/lib` first on the
      library path, no Linux driver inside.

    ## When this reading is wrong
    If `nvidia-smi` fails on the host too, the driver is broken there. If it works inside, CUDA or
    TensorFlow's build is what is missing.

    ## References
    - NVIDIA Container Toolkit: installation guide, troubleshooting
    - NVIDIA, CUDA on WSL user guide
    """
    finding = story.finding("container-no-gpu")
    scales = Scales()
    scales.add(0.9, story.first("container-runtime-lacks-gpu"))
    scales.add(0.86, story.first("container-sees-no-driver"))
    scales.add(0.7, story.first("said-container-without-gpu"))
    if finding is not None:
        scales.add(0.6, finding, *unseen(story)[:1])
    _weigh_inside(scales, story)
    if story.has("said-asks-for-other-cuda", "said-cuda-library-not-found"):
        # The driver shows a GPU before any of these is looked for.
        scales.take(0.5)
    if surroundings.without_gpu(story) and not story.has("container-runtime-lacks-gpu"):
        scales.take(0.6)
    return scales.verdict(why=_why(story, finding), fix=_fix(story, finding))


def _weigh_inside(scales: Scales, story: Story) -> None:
    """Lines that mean little outside of a container, and much in one."""
    place = surroundings.container(story)
    inside = place is not None or surroundings.is_wsl(story)
    # The host's module is loaded, while the library that belongs to it is not here. Outside of a
    # container that is half of a driver: driver-broken.
    half = story.has("kernel-driver-version", "no-device-file")
    refused = refusals(story)
    for signal, error in refused[:1]:
        sure = inside or (half and error == "NO_LIBRARY")
        scales.add(_NOTHING_PASSED_IN.get(error, 0.1) * (1 if sure else 0.55), signal)
    if not refused:
        scales.add(0.72 if inside else 0.5 if half else 0.42, story.first("driver-library-missing"))
    scales.add(0.75 if inside else 0.45, story.first("import-needs-driver"))
    scales.add(0.55 if inside else 0.48, story.first("nvml-unknown-error"))
    scales.add(0.65 if inside else 0.55, story.first("no-device-file"))
    if inside:
        scales.add(0.3, story.first("kernel-driver-not-running"))
        scales.add(0.4, story.first("nvidia-smi-failed", "driver-insufficient"))
        scales.add(0.4, *unseen(story)[:1], story.first("cuda-drivers-not-found"))


def _why(story: Story, finding: Finding | None) -> str:
    if finding is not None:
        return f"{finding.title}."
    if story.has("container-runtime-lacks-gpu"):
        return "The runtime could not pass a GPU into the container."
    if story.has("container-sees-no-driver"):
        return "The image's start script found no driver inside: the GPU was not passed in."
    kind = "WSL" if surroundings.is_wsl(story) else "a container"
    return f"CUDA finds no GPU or no driver from within {kind}: it may not have been passed in."


def _fix(story: Story, finding: Finding | None) -> Fix:
    if finding is not None:
        return finding.fix
    if surroundings.is_wsl(story):
        return Fix(
            text="Install a current NVIDIA driver on Windows and none inside WSL, update WSL, and "
            "put /usr/lib/wsl/lib first on LD_LIBRARY_PATH.",
            commands=(
                "wsl.exe --update",
                "ls -l /dev/dxg /usr/lib/wsl/lib",
                "export LD_LIBRARY_PATH=/usr/lib/wsl/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}",
            ),
        )
    return Fix(
        text="Install the NVIDIA Container Toolkit on the host, restart docker, and start the "
        "container with --gpus all (Kubernetes: limit nvidia.com/gpu; Singularity: --nv; podman: "
        "--device nvidia.com/gpu=all). Test it with the commands, on the host.",
        commands=("nvidia-smi", _TEST),
    )
