"""This TensorFlow is built without CUDA, and there is a GPU or CUDA that it will not use."""

import msgspec

from fitguard.checks.derived.build import Build
from fitguard.checks.fixes import installs, remedies
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.software import TensorFlow

# Others that want CUDA: then CUDA on LD_LIBRARY_PATH says nothing of what TensorFlow should do.
_OTHER_USERS = ("torch", "jaxlib")
_NO_GPU = "If no GPU will ever be here, take the CUDA libraries away instead."


@check("FG103", "cpu-only-wheel")
def cpu_only_wheel(
    build: Build, tensorflow: TensorFlow, facts: Facts, knowledge: Knowledge
) -> Finding | None:
    """
    ## What it means
    Some TensorFlow packages are built without CUDA: `tensorflow-cpu`; plain `tensorflow` of 1.x
    (but for 1.15.0) and of 2.0.x, where the GPU build is called `tensorflow-gpu`; all wheels for
    ARM (aarch64) on PyPI; everything for macOS; conda's builds whose name starts with `cpu`, `mkl`
    or `eigen`. Such a build never opens a CUDA library.

    ## Why training crashes
    It does not crash: `tf.config.list_physical_devices("GPU")` is empty,
    `tf.test.is_built_with_cuda()` is False, and training runs on the CPU. Installing CUDA, cuDNN or
    a driver changes nothing.

    ## How to fix it
    Uninstall the CPU package *first*, then install the CUDA build: both own the folder
    `tensorflow`, and removing one afterwards breaks the other. On ARM take NVIDIA's container, on
    native Windows WSL2.

    ## When this is wrong
    If this environment is meant for the CPU, ignore it by name (`--ignore FG103`). Without a GPU
    the check speaks only where CUDA was put on LD_LIBRARY_PATH or `nvidia-*` wheels were asked for,
    and then as a warning.

    ## References
    - TensorFlow, install with pip: <https://www.tensorflow.org/install/pip>
    - tensorflow/tensorflow issue 121157 (aarch64 wheels have no CUDA)
    - `tensorflow/python/platform/build_info.py` in the wheels 1.15.2 to 1.15.5 and 2.0.x
    """
    if build.is_cuda is None:
        raise Missing("whether this TensorFlow is built with CUDA is not known")
    if build.is_cuda or _is_left_to_windows_check(tensorflow, facts):
        return None
    gpu = _gpu(facts)
    unused = gpu or _find_cuda_intent(facts)
    if unused is None:
        return None
    name = tensorflow.package or "tensorflow"
    fix = _fix(build, tensorflow, facts, knowledge)
    what = f"the {gpu.text}" if gpu else "the CUDA set up here"
    return Finding(
        severity="error" if gpu else "warning",
        title=f"{name} {tensorflow.version} is built without CUDA and will not use {what}",
        evidence=(_proof(tensorflow, facts, knowledge), unused),
        fix=fix if gpu else msgspec.structs.replace(fix, text=f"{fix.text} {_NO_GPU}"),
    )


def _is_system(facts: Facts, system: str) -> bool:
    platform = facts.platform
    return platform is not None and platform.system == system and not platform.wsl


def _is_arm(facts: Facts) -> bool:
    return facts.platform is not None and facts.platform.machine in ("aarch64", "arm64")


def _is_left_to_windows_check(tensorflow: TensorFlow, facts: Facts) -> bool:
    return _is_system(facts, "windows") and tensorflow.package != "tensorflow-cpu"


def _gpu(facts: Facts) -> Evidence | None:
    """What shows that there is a GPU."""
    driver = facts.driver
    if facts.gpus:
        return Evidence(facts.gpus[0].name or "GPU", facts.gpus[0].origin)
    if driver is not None and driver.pci:
        return Evidence(f"NVIDIA GPU at {driver.pci[0].address}", "/sys/bus/pci/devices")
    if facts.gpus is None and driver is not None and driver.version:
        return Evidence(f"GPU that NVIDIA's driver {driver.version} is for", driver.origin)
    return None


def _find_cuda_intent(facts: Facts) -> Evidence | None:
    """What shows that somebody wants CUDA here, though no GPU is seen."""
    packages = facts.packages.found if facts.packages else ()
    for package in packages:
        if package.name.startswith("nvidia-") and "-cu1" in package.name and package.requested:
            return Evidence(f"{package.name} {package.version}, asked for", package.origin)
    if any(package.name in _OTHER_USERS for package in packages):
        return None
    for library in facts.libraries.found if facts.libraries else ():
        if library.searched and library.found_by.startswith(("LD_LIBRARY_PATH", "--what-if")):
            return Evidence(library.path or library.soname, library.found_by)
    return None


def _proof(tensorflow: TensorFlow, facts: Facts, knowledge: Knowledge) -> Evidence:
    if tensorflow.cuda_build is False:
        return Evidence("its own files: is_cuda_build is False", tensorflow.origin)
    if tensorflow.package in installs.CARRIERS | {"tensorflow-cpu"}:
        return Evidence(f"{tensorflow.package} is a build without CUDA", tensorflow.origin)
    if _is_system(facts, "macos"):
        return Evidence(
            "no TensorFlow for macOS has CUDA", "https://www.tensorflow.org/install/pip"
        )
    if _is_arm(facts):
        return Evidence(
            "PyPI's aarch64 wheels are built without CUDA", "tensorflow/tensorflow issue 121157"
        )
    return Evidence(
        f"the plain tensorflow wheel of {tensorflow.version} is built without CUDA",
        knowledge.tensorflow.table.reference,
    )


def _fix(build: Build, tensorflow: TensorFlow, facts: Facts, knowledge: Knowledge) -> Fix:
    release = knowledge.tensorflow.find(build.version) or knowledge.tensorflow.newest
    if _is_system(facts, "macos"):
        return Fix(
            text="CUDA does not exist for macOS: train on a Linux machine. For Apple's own GPU "
            "there is the plug-in tensorflow-metal."
        )
    if _is_arm(facts):
        return Fix(
            text=f"Take {knowledge.tensorflow.nvidia_container}, whose build for ARM has CUDA, or "
            "build TensorFlow from source.",
        )
    if _is_system(facts, "windows") and not release.windows_gpu:
        return installs.into_wsl(facts, knowledge)
    if installs.by_conda(facts):
        return Fix(
            text="conda has builds with and without CUDA; ask for one whose build string starts "
            "with cuda.",
            commands=(installs.conda_with_cuda(release.version),),
        )
    name = tensorflow.package or "tensorflow"
    return Fix(
        text=f"First uninstall {name}, then install the build with CUDA: both own the folder "
        "tensorflow, so the order matters.",
        commands=remedies.pip_install(
            facts, remedies.requirement(release), *remedies.constraints(release)
        ),
    )
