"""What the TensorFlow at hand was built with."""

import msgspec

from fitguard.checks.framework.fixtures import Missing, fixture
from fitguard.knowledge import Knowledge
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.facts import Facts
from fitguard.schema.software import Platform, TensorFlow


class Build(msgspec.Struct, frozen=True, kw_only=True):
    """What the TensorFlow at hand was built with: its own files first, then the tables.

    Args:
        is_cuda: None where neither tells.
        cudnn_uncertain: The exact cuDNN is not known for sure.
        origin: Where this was read.
    """

    version: str
    is_cuda: bool | None
    cuda: str
    cudnn: str
    cudnn_uncertain: bool
    sass: tuple[str, ...]
    ptx: tuple[str, ...]
    newest_mostly_ptx: bool
    origin: str


@fixture
def build(tensorflow: TensorFlow, facts: Facts, knowledge: Knowledge) -> Build:
    """The build: the wheel's own files decide, the tables fill in."""
    known = knowledge.tensorflow.find(tensorflow.version)
    if known is None and tensorflow.cuda is None:
        raise Missing(f"nothing is known of the build of TensorFlow {tensorflow.version}")
    own = tensorflow.capabilities
    cudnn = tensorflow.cudnn or ""
    if known is not None and (not cudnn or known.cudnn.startswith(cudnn)):
        cudnn = known.cudnn
    return Build(
        version=tensorflow.version,
        is_cuda=_is_cuda(tensorflow, known, facts),
        cuda=tensorflow.cuda or (known.cuda if known else ""),
        cudnn=cudnn,
        cudnn_uncertain=known is None or known.cudnn_uncertain,
        sass=_capabilities(own, "sm_") if own else known.sass if known else (),
        ptx=_capabilities(own, "compute_") if own else known.ptx if known else (),
        newest_mostly_ptx=known.newest_mostly_ptx if known else False,
        origin=tensorflow.origin if tensorflow.cuda else knowledge.tensorflow.table.reference,
    )


def _is_cuda(tensorflow: TensorFlow, known: Release | None, facts: Facts) -> bool | None:
    if tensorflow.cuda_build is not None:
        return tensorflow.cuda_build
    if tensorflow.package in ("tensorflow-cpu", "tensorflow-intel", "tensorflow-macos"):
        return False
    platform = facts.platform
    if platform is not None and not _has_cuda_wheels(platform, known):
        return False
    if tensorflow.package == "tensorflow-gpu":
        return True
    if known is None or tensorflow.package != "tensorflow":
        return None
    return known.plain_is_cuda


def _has_cuda_wheels(platform: Platform, known: Release | None) -> bool:
    """Whether PyPI has builds with CUDA for a system: for ARM and macOS never."""
    if platform.system == "windows":
        return known is None or known.windows_gpu
    return platform.system != "macos" and platform.machine != "aarch64"


def _capabilities(names: tuple[str, ...], prefix: str) -> tuple[str, ...]:
    """`sm_90` → 9.0. The newest is listed as `compute_90` alone, but is machine code too."""
    found = [name for name in names if name.startswith(prefix)]
    if prefix == "sm_":
        found += [name for name in names if name.startswith("compute_")]
    digits = dict.fromkeys(name.split("_")[1].rstrip("af") for name in found)
    return tuple(f"{item[:-1]}.{item[-1]}" for item in digits)


@fixture
def cuda_build(build: Build) -> Build:
    """The build, where it is one with CUDA."""
    if build.is_cuda is False:
        raise Missing("this TensorFlow is built without CUDA and loads none of it")
    return build
