"""XLA without libdevice or ptxas."""

import pytest
from causes.tell import tell

XLA_TOOLCHAIN = [
    (
        "W tensorflow/stream_executor/gpu/asm_compiler.cc:235] Your CUDA software stack "
        "is old. We fallback to the NVIDIA driver for some compilation.",
        {},
    ),
    (
        "F xla/service/gpu/nvptx_compiler.cc:501] ptxas returned an error during "
        "compilation of ptx to sass",
        {},
    ),
    ("With jit_compile=True it does not find libdevice", {}),
    (
        "InternalError: libdevice not found at ./libdevice.10.bc [Op:__inference_train_step_812]",
        {},
    ),
    (
        "Can't find libdevice directory ${CUDA_DIR}/nvvm/libdevice. This may result "
        "in compilation or runtime failures",
        {"tf": "2.13.0"},
    ),
    (
        "ptxas fatal   : Unresolved extern function '__nv_tanhf'",
        {},
    ),
    (
        "OP_REQUIRES failed at xla_ops.cc:476 : NOT_FOUND: ./bin/ptxas not found",
        {},
    ),
    (
        "INTERNAL: Couldn't invoke ptxas --version",
        {},
    ),
    (
        "UNAVAILABLE: No PTX compilation provider is available. Neither ptxas/nvlink "
        "nor nvjtlink is available.",
        {},
    ),
    (
        "*** WARNING *** You are using ptxas 10.0.145, which is older than 11.1. "
        "ptxas before 11.1 is known to miscompile XLA code",
        {},
    ),
]
OTHERS = [
    (
        "W tensorflow/stream_executor/gpu/redzone_allocator.cc:314] Internal: "
        "Invoking GPU asm compilation is supported on Cuda non-Windows platforms only\n"
        "Relying on driver to perform ptx compilation.",
        {},
    ),
    (
        "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async "
        "instructions are serialized",
        {},
    ),
    (
        "Compiled cluster using XLA!  This line is logged at most once for the "
        "lifetime of the process.",
        {},
    ),
    (
        "ImportError: libcublas.so.11: cannot open shared object file",
        {},
    ),
]


@pytest.mark.parametrize(("text", "known"), XLA_TOOLCHAIN)
def test_it_is_found(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary == "xla-toolchain"


@pytest.mark.parametrize(("text", "known"), OTHERS)
def test_near_misses_are_not_it(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary != "xla-toolchain"


def test_the_fix_brings_the_compilers_wheel() -> None:
    fix = tell("libdevice not found at ./libdevice.10.bc", tf="2.15.1").causes[0].fix
    assert any("nvidia-cuda-nvcc-cu12" in command for command in fix.commands)


def test_before_the_wheels_conda_brings_it() -> None:
    fix = tell("libdevice not found at ./libdevice.10.bc", tf="2.11.0").causes[0].fix
    assert any("cuda-nvcc=11.2" in command for command in fix.commands)
