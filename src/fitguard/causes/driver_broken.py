"""NVIDIA's driver is not loaded, or its parts do not fit together."""

from fitguard.causes.derived import surroundings
from fitguard.causes.derived.cuinit import refusals
from fitguard.causes.derived.unseen import unseen
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.schema.crash import Signal, Story
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.versions import parse

_FINDINGS = ("driver-library-mismatch", "driver-missing", "driver-generic")
_WEIGHTS = {
    "UNKNOWN": 0.75,
    "SYSTEM_DRIVER_MISMATCH": 0.9,
    "SYSTEM_NOT_READY": 0.8,
    "COMPAT_NOT_SUPPORTED_ON_DEVICE": 0.75,
    "OPERATING_SYSTEM": 0.5,
    "STUB_LIBRARY": 0.3,
    "NO_DEVICE": 0.45,
    "INVALID_DEVICE": 0.35,
    "NOT_INITIALIZED": 0.45,
    "": 0.5,
}
_PASSED_IN = {"NO_DEVICE", "STUB_LIBRARY", "OPERATING_SYSTEM", "UNKNOWN", ""}


@cause("driver-broken")
def driver_broken(story: Story) -> Verdict | None:
    """
    ## What it means
    The driver has two halves: a kernel module and a library (`libcuda`, NVML). Both must be there,
    loaded, and of one version. After an automatic update the new library meets the old module until
    the next restart. After a new kernel the module may not have been built, or Secure Boot refuses
    it. `nvidia-uvm` may not be loaded. After a suspend CUDA may fail until the module is reloaded.

    ## How to be sure
    - `nvidia-smi` fails: *couldn't communicate with the NVIDIA driver*, *Driver/library version
      mismatch*. If it works, the driver is most likely well.
    - TensorFlow logs *failed call to cuInit: CUDA_ERROR_UNKNOWN*, *kernel version … does not match
      DSO version …*, or *kernel driver does not appear to be running on this host*.
    - `cat /proc/driver/nvidia/version` is the module, `modinfo nvidia` the one on disk; the kernel
      log (`sudo dmesg | grep -i nvrm`) says what went wrong.

    ## How to fix it
    Restart the machine: that cures the mismatch after an update, and most unknown errors. If it
    comes back: reinstall the driver from one source only (the distribution's packages, or
    NVIDIA's installer, never both), with the headers of the running kernel; sign the module or turn
    Secure Boot off; keep automatic updates away from the driver packages.

    ## When this reading is wrong
    Without a GPU, or with CUDA_VISIBLE_DEVICES=-1, *failed call to cuInit: CUDA_ERROR_NO_DEVICE* is
    harmless. In a container or WSL it means that the GPU was not passed in. A GPU that vanishes
    under load (Xid 79) is hardware.

    ## References
    - `tensorflow/stream_executor/cuda/cuda_diagnostics.cc`, `cuda_driver.cc`
    - NVIDIA driver installation guide; CUDA driver API, error codes
    """
    scales = Scales()
    _weigh_lines(scales, story)
    _weigh_cuinit(scales, story)
    _weigh_absence(scales, story)
    finding = story.finding(*_FINDINGS)
    if finding is not None and (unseen(story) or story.has("cuinit-failed", "nvidia-smi-failed")):
        scales.add(0.7, finding, *unseen(story)[:1])
    if surroundings.without_gpu(story):
        scales.take(0.85)
    return scales.verdict(why=_why(story, finding), fix=_fix(story, finding))


def _weigh_lines(scales: Scales, story: Story) -> None:
    scales.add(0.9, story.first("driver-parts-mismatch"))
    scales.add(0.85, *_halves(story))
    inside = _inside(story)
    scales.add(0.5 if inside else 0.82, story.first("nvidia-smi-failed"))
    scales.add(0.82, story.first("kernel-module-missing"))
    scales.add(0.45, story.first("nvml-unknown-error"))
    scales.add(0.35 if inside else 0.55, story.first("import-needs-driver"))
    scales.add(0.6, story.first("said-driver-broke"))
    scales.add(0.3, story.first("container-runtime-lacks-gpu"))


def _weigh_absence(scales: Scales, story: Story) -> None:
    """No half of a driver is there: one fact in up to three lines, harmless without a GPU."""
    absent = [signal for signal, error in refusals(story) if error == "NO_LIBRARY"]
    lines = (*story.all("driver-library-missing", "kernel-driver-not-running")[:2], *absent[:1])
    elsewhere = _inside(story) or story.has("no-device-file")
    half = surroundings.with_gpu(story) or story.has("kernel-driver-version")
    scales.add(0.3 if elsewhere else 0.62 if half else 0.46, *lines)


def _inside(story: Story) -> bool:
    return surroundings.container(story) is not None or surroundings.is_wsl(story)


def _weigh_cuinit(scales: Scales, story: Story) -> None:
    refused = [entry for entry in refusals(story) if entry[1] != "NO_LIBRARY"]
    for signal, error in refused[:1]:
        weight = _WEIGHTS.get(error, 0.3)
        # The module is loaded and its device files are not here: as in a container.
        if (_inside(story) or story.has("no-device-file")) and error in _PASSED_IN:
            weight *= 0.7
        elif surroundings.with_gpu(story) and error == "NO_DEVICE":
            weight = 0.62
        scales.add(weight, signal)


def _halves(story: Story) -> tuple[Signal, ...]:
    """The lines that name the two halves, where their versions differ."""
    library, module = story.first("libcuda-version"), story.first("kernel-driver-version")
    if library is None or module is None:
        return ()
    same = parse(library.values["version"])[:2] == parse(module.values["version"])[:2]
    return () if same else (library, module)


def _why(story: Story, finding: Finding | None) -> str:
    if mismatch := story.first("driver-parts-mismatch"):
        kernel, library = mismatch.values.get("kernel"), mismatch.values.get("library")
        named = f": module {kernel}, library {library}" if kernel and library else ""
        return f"The driver's kernel module and its library are of different versions{named}."
    if halves := _halves(story):
        library, kernel = (signal.values["version"] for signal in halves)
        return f"The driver's library is {library}, its kernel module {kernel}: they must be one."
    if finding is not None:
        return f"CUDA does not start: {finding.title}."
    if story.has("kernel-module-missing"):
        return "NVIDIA's kernel module could not be loaded, so no program can use the GPU."
    if story.has("nvidia-smi-failed"):
        return "NVIDIA's own tool cannot reach the driver either, so TensorFlow is not at fault."
    for _, error in refusals(story)[:1]:
        return f"The driver refused to start CUDA ({error or 'cuInit failed'})."
    return "The driver is not loaded, or does not work."


def _fix(story: Story, finding: Finding | None) -> Fix:
    if finding is not None:
        return finding.fix
    if surroundings.is_windows(story):
        return Fix(
            text="Restart Windows. If CUDA still does not start, install the current driver from "
            "nvidia.com/drivers with the option of a clean installation.",
            commands=("nvidia-smi",),
        )
    look = ("nvidia-smi", "cat /proc/driver/nvidia/version", "modinfo -F version nvidia")
    if any(error == "SYSTEM_NOT_READY" for _, error in refusals(story)):
        return Fix(
            text="With NVSwitch start NVIDIA's Fabric Manager, of the driver's version.",
            commands=("systemctl status nvidia-fabricmanager", *look),
        )
    return Fix(
        text="Restart the machine first: it loads the module that belongs to the installed "
        "library. If nvidia-smi still fails, reinstall the driver from one source, with the "
        "headers of the running kernel, and load nvidia-uvm (sudo modprobe nvidia-uvm).",
        commands=look,
    )
