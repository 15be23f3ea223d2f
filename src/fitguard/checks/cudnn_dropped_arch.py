"""The cuDNN that will be loaded no longer supports this GPU."""

from collections.abc import Iterator

import msgspec

from fitguard.checks.derived import gpu_releases
from fitguard.checks.derived.build import Build
from fitguard.checks.derived.cuda_libraries import label
from fitguard.checks.derived.gpu_code import capability_of, title_name
from fitguard.checks.derived.loaded import Loaded
from fitguard.checks.derived.visible_gpus import Visible
from fitguard.checks.fixes import cuda_remedies, gpu_remedies, remedies
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.hardware import Gpu
from fitguard.schema.versions import parse, text


class Old(msgspec.Struct, frozen=True):
    """A GPU and its compute capability."""

    gpu: Gpu
    capability: str

    @property
    def name(self) -> str:
        """As a title names it."""
        return title_name(self.gpu, self.capability)


@check("FG206", "cudnn-dropped-arch", requires={"FG205", "FG208", "FG306"})
def cudnn_dropped_arch(
    cuda_build: Build, cudnn: Loaded, visible: Visible, facts: Facts, knowledge: Knowledge
) -> Iterator[Finding]:
    """
    ## What it means
    Every cuDNN serves GPUs from some compute capability on, and newer ones drop old GPUs within the
    same major, under the same file name. cuDNN 8.9 has no Kepler any more (K80, GTX 780), 9.11 and
    later have no Maxwell, Pascal or Volta (GTX 900 and 1000, P100, V100): they start at 7.5. The
    loader, pip and TensorFlow's own version check notice nothing: newer is welcome there.

    The and-cuda extra of TensorFlow 2.20 and 2.21 pins cuDNN only to a range (`>=9.3,<10`). A fresh
    install takes the newest, which no longer supports those GPUs.

    ## Why training crashes
    The GPU is found and memory is taken; then the first convolution, pooling or recurrent layer
    stops with `CUDNN_STATUS_ARCH_MISMATCH`, `CUDNN_STATUS_EXECUTION_FAILED`, *No algorithm worked!*
    or *DNN library initialization failed*. Plain matrix products go on working, for those are not
    cuDNN's.

    ## How to fix it
    Keep TensorFlow and take an older cuDNN of the same major, not older than the one TensorFlow was
    built with: for Maxwell, Pascal and Volta `nvidia-cudnn-cu12<9.11`. Put the bound into your
    requirements file, or the next upgrade undoes it.

    ## When this is wrong
    The exact version at which a GPU was dropped is documented for some steps only (Kepler between
    8.6 and 8.9, the others at 9.11); where the table is not sure the confidence is medium. Models
    without convolutions or recurrent layers may not need cuDNN at all.

    ## References
    - NVIDIA cuDNN support matrix:
      <https://docs.nvidia.com/deeplearning/cudnn/backend/latest/reference/support-matrix.html>
    - The pins of tensorflow[and-cuda] in the wheels' METADATA
    """
    known = {gpu.name: Old(gpu, capability_of(gpu, knowledge) or "") for gpu in visible.gpus}
    gpus = [item for item in known.values() if item.capability]
    if not gpus:
        raise Missing("the compute capability of the GPU is not known")
    if len(parse(cudnn.version)) == 1:
        raise Missing("the minor version of cuDNN is not known")
    for old in gpus:
        if _drops(cudnn.version, old, cuda_build, knowledge):
            yield _build_dropped_finding(old, cudnn, cuda_build, facts, knowledge)
        elif _range(cudnn) and _drops(_newest(cudnn, knowledge), old, cuda_build, knowledge):
            yield _build_may_drop_finding(old, cudnn, cuda_build, facts, knowledge)


def _drops(version: str, old: Old, build: Build, knowledge: Knowledge) -> bool:
    least = knowledge.cudnn.least_capability(version, build.cuda or None)
    return least is not None and parse(old.capability) < parse(least)


def _range(cudnn: Loaded) -> str | None:
    """The range that pip may choose from, where nobody measured what it chose."""
    source = cudnn.library.version_from or ""
    pin = source.removeprefix("and-cuda pin ")
    return pin if pin != source and not pin.startswith("==") else None


def _newest(cudnn: Loaded, knowledge: Knowledge) -> str:
    major = parse(cudnn.version)[0]
    rows = knowledge.cudnn.table.rows
    return [row.versions[1] for row in rows if parse(row.versions[1])[0] == major][-1]


def _build_dropped_finding(
    old: Old, cudnn: Loaded, build: Build, facts: Facts, knowledge: Knowledge
) -> Finding:
    row = knowledge.cudnn.row(cudnn.version)
    least = knowledge.cudnn.least_capability(cudnn.version, build.cuda or None)
    source = f"{knowledge.cudnn.table.reference} ({row.source})" if row else ""
    return Finding(
        confidence="medium" if row is None or row.uncertain else "high",
        title=f"{label(cudnn.library)} does not support {old.name}",
        evidence=(
            Evidence(label(cudnn.library), cudnn.source),
            Evidence(old.name, old.gpu.origin),
            Evidence(f"this cuDNN starts at compute capability {least}", source),
        ),
        fix=_fix(old, cudnn, build, facts, knowledge),
    )


def _build_may_drop_finding(
    old: Old, cudnn: Loaded, build: Build, facts: Facts, knowledge: Knowledge
) -> Finding:
    newest = knowledge.cudnn.row(_newest(cudnn, knowledge))
    source = f"{knowledge.cudnn.table.reference} ({newest.source})" if newest else ""
    return Finding(
        severity="warning",
        title=f"pip takes the newest cuDNN {text(parse(cudnn.version), 1)}, which no longer "
        f"supports {old.name}",
        evidence=(
            Evidence(f"{cudnn.library.package} {_range(cudnn)}", cudnn.source),
            Evidence(old.name, old.gpu.origin),
            Evidence(f"cuDNN {_newest(cudnn, knowledge)} does not support it any more", source),
        ),
        fix=_fix(old, cudnn, build, facts, knowledge),
    )


def _fix(old: Old, cudnn: Loaded, build: Build, facts: Facts, knowledge: Knowledge) -> Fix:
    last = knowledge.cudnn.last_for(old.capability)
    if last is None or parse(last)[:2] < parse(build.cudnn)[:2]:
        return _older_release(old, build, facts, knowledge)
    major, minor = parse(last)[:2]
    if cudnn.library.package is None and not knowledge.cuda.has_and_cuda(build.version):
        return cuda_remedies.install(facts, knowledge, build)
    package = cudnn.library.package or f"nvidia-cudnn-cu{text(parse(build.cuda), 1)}"
    bounds = f">={text(parse(build.cudnn), 2)},<{major}.{minor + 1}"
    return Fix(
        text=f"Pin cuDNN to {major}.{minor}, the last that supports it, or to an older one down to "
        f"the {text(parse(build.cudnn), 2)} that TensorFlow was built with.",
        commands=remedies.pip_install(facts, f"{package}{bounds}"),
    )


def _older_release(old: Old, build: Build, facts: Facts, knowledge: Knowledge) -> Fix:
    working = gpu_releases.working(facts, knowledge, old.capability)
    words = f"No cuDNN supports both {old.name} and TensorFlow {build.version}."
    if not working:
        return Fix(text=f"{words} Train on a newer GPU.")
    return Fix(
        text=f"{words} The newest release for this GPU is {working[-1].version}.",
        commands=gpu_remedies.install(facts, knowledge, working[-1]),
    )
