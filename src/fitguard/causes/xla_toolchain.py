"""XLA could not compile for the GPU: libdevice or ptxas is missing or too old."""

from fitguard.causes.derived.bringing_cuda import release_of
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.knowledge import knowledge
from fitguard.schema.crash import Story
from fitguard.schema.finding import Finding, Fix


@cause("xla-toolchain")
def xla_toolchain(story: Story) -> Verdict | None:
    """
    ## What it means
    XLA compiles at run time. It needs two things of the CUDA toolkit that ordinary training does
    not: `libdevice.10.bc`, with the mathematical functions, and `ptxas`, the assembler. It looks in
    `./cuda_sdk_lib`, in `/usr/local/cuda-X.Y`, in `/usr/local/cuda`, in pip's NVIDIA wheels (newer
    releases) and in the working folder. conda puts the files elsewhere. From TensorFlow 2.11 on
    Keras' optimizers compile with XLA, so that a plain `fit` may stop there.

    ## How to be sure
    - *Can't find libdevice directory ${CUDA_DIR}/nvvm/libdevice*, then *libdevice not found at
      ./libdevice.10.bc*; or *Couldn't invoke ptxas*; or *Unresolved extern function '__nv_…'*.
    - `find / -name libdevice.10.bc` shows whether it is on the disk at all.

    ## How to fix it
    - Name the folder that holds `nvvm/libdevice`: `XLA_FLAGS=--xla_gpu_cuda_data_dir=/path`, set
      before Python starts. In a conda environment the folder is `$CONDA_PREFIX`, after
      `conda install -c nvidia cuda-nvcc`.
    - With pip install the compiler's wheel of the same CUDA: `nvidia-cuda-nvcc-cu12`.
    - *Unsupported .version* or *sm_XX is not defined*: the ptxas on PATH is older than the GPU or
      than TensorFlow's CUDA. Put a newer one first.
    - To go on without: `jit_compile=False` in `compile()`, and the legacy optimizers on 2.11.

    ## When this reading is wrong
    *Relying on driver to perform ptx compilation* alone is harmless. Where training goes on after
    the warning about libdevice, nothing needed it.

    ## References
    - `xla/service/gpu/llvm_gpu_backend/gpu_backend_lib.cc`
    - `xla/stream_executor/gpu/asm_compiler.cc`
    - TensorFlow, install with pip (the step on XLA_FLAGS of 2.11 and 2.12)
    """
    finding = story.finding("xla-toolchain-missing")
    scales = Scales()
    scales.add(0.9, story.first("libdevice-needed"))
    scales.add(0.75, story.first("libdevice-not-found"))
    scales.add(0.72, story.first("ptxas-not-found"))
    scales.add(0.6, story.first("ptxas-too-old"))
    left = story.has("ptxas-left-to-the-driver") and not story.role("stop")
    scales.add(0.35 if left else 0.6, story.first("ptxas-failed"))
    scales.add(0.5, story.first("ptxas-knows-no-such-gpu"), story.first("jit-compilation-failed"))
    scales.add(0.6, story.first("said-libdevice"))
    scales.add(0.3, story.first("invalid-ptx"))
    if finding is not None and story.has("jit-compilation-failed", "libdevice-needed"):
        scales.add(0.4, finding)
    if story.has("training-finished"):
        scales.take(0.6)
    return scales.verdict(why=_why(story, finding), fix=_fix(story, finding))


def _why(story: Story, finding: Finding | None) -> str:
    if story.has("libdevice-needed"):
        return "XLA needed libdevice to compile a function and found it in none of its folders."
    if story.has("libdevice-not-found"):
        return "XLA does not find libdevice; what needs a mathematical function from it fails."
    if old := story.first("ptxas-too-old"):
        number = old.values.get("version")
        return f"The ptxas that XLA uses{f' ({number})' if number else ''} is too old for it."
    if gpu := story.first("ptxas-knows-no-such-gpu"):
        named = next(iter(gpu.values.values()), "this GPU")
        return f"The ptxas at hand does not know {named}: it is older than the GPU."
    if story.has("ptxas-not-found"):
        return "XLA finds no ptxas, the assembler of the CUDA toolkit."
    return finding.title + "." if finding else "A compilation for the GPU at run time failed."


def _fix(story: Story, finding: Finding | None) -> Fix:
    if finding is not None:
        return finding.fix
    release = release_of(story)
    cuda = release.cuda if release is not None else None
    of = f" of CUDA {cuda}" if cuda else ""
    if story.has("ptxas-too-old", "ptxas-knows-no-such-gpu"):
        return Fix(
            text=f"Put a newer ptxas{of or ' of the CUDA that TensorFlow was built with'} first on "
            "PATH, or update TensorFlow with its CUDA.",
            commands=("which -a ptxas", "ptxas --version"),
        )
    pins = knowledge().cuda.and_cuda(release.version) if release is not None else None
    wheel = pins.pin("cuda-nvcc") if pins is not None else None
    if wheel is not None:
        return Fix(
            text=f"Install the compiler's wheel{of}, which holds libdevice and ptxas; if XLA still "
            "does not look there, name its folder with XLA_FLAGS=--xla_gpu_cuda_data_dir.",
            commands=(f'python -m pip install "{wheel[0]}{wheel[1]}"',),
        )
    return Fix(
        text=f"Install cuda-nvcc{of} into the environment, and lead XLA to the folder that holds "
        "nvvm/libdevice before Python starts. To go on without: compile(jit_compile=False).",
        commands=(
            f"conda install -c nvidia {f'cuda-nvcc={cuda}' if cuda else 'cuda-nvcc'}",
            "export XLA_FLAGS=--xla_gpu_cuda_data_dir=$CONDA_PREFIX",
        ),
    )
