"""XLA will not find libdevice or ptxas, without which it cannot compile for the GPU."""

from fitguard import shell
from fitguard.checks.derived.build import Build
from fitguard.checks.fixes import installs, remedies
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.hardware import Gpu
from fitguard.schema.software import CudaLibraries, Toolkit
from fitguard.schema.versions import parse

# From here on Keras compiles with XLA on a GPU without being asked: the optimiser's step in 2.11
# to 2.15, the whole training step from Keras 3 on.
_FIRST_UNASKED = (2, 11)


@check("FG209", "xla-toolchain-missing", requires={"FG201", "FG203"})
def xla_toolchain_missing(
    cuda_build: Build,
    libraries: CudaLibraries,
    gpus: tuple[Gpu, ...],
    facts: Facts,
    knowledge: Knowledge,
) -> Finding | None:
    """
    ## What it means
    XLA compiles a model's operations into GPU code. For that it needs two files of the CUDA
    toolkit that the runtime libraries do not bring: `libdevice.10.bc`, the GPU's mathematical
    functions, and the assembler `ptxas`. It looks in the folder that `--xla_gpu_cuda_data_dir`
    names, in `/usr/local/cuda`, beside TensorFlow (the wheel `nvidia-cuda-nvcc-cu12`) and, for
    ptxas, on PATH. At least one of them is nowhere there.

    ## Why training crashes
    Keras uses XLA without being asked as soon as there is a GPU: from 2.11 on for the optimizer's
    step, from Keras 3 on for the whole training step (`jit_compile="auto"`). The first `fit` stops
    with *libdevice not found at ./libdevice.10.bc* after *Can't find libdevice directory
    ${CUDA_DIR}/nvvm/libdevice*; without ptxas the process aborts with *Failed to launch ptxas* or
    stops with *No PTX compilation provider is available*.

    ## How to fix it
    Install the nvcc wheel that belongs to this TensorFlow, or name a toolkit that has both files in
    `XLA_FLAGS=--xla_gpu_cuda_data_dir=…`. A way round it is `model.compile(…, jit_compile=False)`,
    in 2.11 to 2.15 also `optimizer = Adam(…, jit_compile=False)`; training may become slower.

    ## When this is wrong
    Before 2.11 only code that asks for XLA needs these files, and the check is silent. A program
    that turns XLA off everywhere does not need them. Some builds can compile without ptxas
    (nvJitLink linked in); where only ptxas is missing the confidence is therefore medium.

    ## References
    - TensorFlow, XLA: <https://www.tensorflow.org/xla>
    - Keras 3, `Model.compile`, argument `jit_compile`
    - tensorflow/tensorflow issues 58681 and 60790 (libdevice), 50562 (ptxas)
    """
    if not libraries.complete:
        raise Missing("whether ptxas and libdevice are there is not known")
    if parse(cuda_build.version)[:2] < _FIRST_UNASKED:
        return None
    files = {"libdevice.10.bc": libraries.libdevice, "ptxas": libraries.ptxas}
    missing = [name for name, found in files.items() if found is None]
    if not missing:
        return None
    return Finding(
        confidence="high" if "libdevice.10.bc" in missing else "medium",
        title=f"XLA will not find {' and '.join(missing)}: the first fit on a GPU stops",
        evidence=(
            *(Evidence(f"no {name}", "all places where XLA looks") for name in missing),
            Evidence(gpus[0].name or "a GPU", gpus[0].origin),
        ),
        fix=_fix(cuda_build, libraries, facts, knowledge),
    )


def _fix(build: Build, libraries: CudaLibraries, facts: Facts, knowledge: Knowledge) -> Fix:
    toolkit = _toolkit(build, libraries)
    if toolkit is not None:
        place = shell.path(facts, toolkit.path)
        return Fix(
            text=f"Tell XLA of the toolkit in {toolkit.path} before Python starts.",
            commands=(_use(facts, place),) if place else (),
        )
    major = parse(build.cuda)[0]
    if installs.by_conda(facts):
        place = r"%CONDA_PREFIX%\Library" if shell.is_windows(facts) else '"$CONDA_PREFIX"'
        return Fix(
            text="Let conda bring the compiler, and tell XLA where.",
            commands=(f'conda install -c conda-forge "cuda-nvcc={major}.*"', _use(facts, place)),
        )
    pins = knowledge.cuda.and_cuda(build.version)
    pin = pins.pin("cuda-nvcc") if pins else None
    if pin is not None:
        return Fix(
            text="Install the compiler wheel that belongs to this TensorFlow.",
            commands=remedies.pip_install(facts, "".join(pin)),
        )
    python = remedies.python_command(facts)
    found = f"\"$({python} -c 'import nvidia.cuda_nvcc as m; print(list(m.__path__)[0])')\""
    return Fix(
        text="Install the compiler wheel, and tell XLA of it: this release does not look there.",
        commands=(
            *remedies.pip_install(facts, f"nvidia-cuda-nvcc-cu{major}"),
            *shell.posix_only(facts, _use(facts, found)),
        ),
    )


def _toolkit(build: Build, libraries: CudaLibraries) -> Toolkit | None:
    """A whole toolkit of the same CUDA major, in a place where XLA does not look."""
    major = parse(build.cuda)[0]
    for toolkit in libraries.toolkits:
        if toolkit.nvcc and toolkit.version and parse(toolkit.version)[0] == major:
            return toolkit
    return None


def _use(facts: Facts, place: str) -> str:
    """The command that adds to XLA's flags; the place is quoted already."""
    flag = f"--xla_gpu_cuda_data_dir={place}"
    kept = "%XLA_FLAGS% " if shell.is_windows(facts) else '"$XLA_FLAGS "'
    return shell.set_variable(facts, "XLA_FLAGS", f"{kept}{flag}")
