"""The processor has no AVX, and this TensorFlow uses it."""

from fitguard.checks.fixes import installs
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.hardware import Cpu

_X86 = ("x86_64", "amd64", "i686", "i386")


@check("FG105", "cpu-isa")
def cpu_isa(cpu: Cpu, release: Release, facts: Facts, knowledge: Knowledge) -> Finding | None:
    """
    ## What it means
    The wheels on PyPI use AVX instructions since TensorFlow 1.6. This processor does not have
    them, or a virtual machine hides them. Celeron, Pentium and Atom models up to 2020 lack AVX, as
    do all processors before 2011.

    ## Why training crashes
    Python dies at `import tensorflow` with *Illegal instruction (core dumped)*, exit code 132,
    signal SIGILL. There is no traceback. On Windows the import stops with *DLL load failed*. A
    good GPU in the machine does not help.

    ## How to fix it
    In a virtual machine, pass the host's processor through (`-cpu host` in QEMU and libvirt, the
    processor type *host* in Proxmox). On real hardware use a build without AVX: conda's
    `tensorflow` packages, a build from source with `--copt=-march=native`, or TensorFlow 1.5, the
    last wheel without AVX (Python 2.7 and 3.3 to 3.6).

    ## When this is wrong
    conda's builds use no AVX; the check is skipped for them. A TensorFlow that was built from
    source for this very processor is fine, too.

    ## References
    - TensorFlow 1.6 release notes (prebuilt binaries use AVX)
    - tensorflow/tensorflow issues 17411 and 19584
    """
    if cpu.features is None:
        raise Missing("the instruction sets of the processor are not known")
    machine = facts.platform.machine if facts.platform else None
    if machine is None or machine.lower() not in _X86:
        raise Missing("AVX exists on x86 processors only, and this is not known to be one")
    if installs.by_conda(facts):
        raise Missing("conda's builds of TensorFlow do without AVX")
    if not release.avx or "avx" in cpu.features:
        return None
    return Finding(
        title=f"The processor has no AVX, which TensorFlow {release.version} uses: its import "
        "dies with SIGILL",
        evidence=(
            Evidence(f"{cpu.model or 'processor'} without avx", cpu.origin),
            Evidence(
                f"TensorFlow {release.version} uses AVX", knowledge.tensorflow.table.reference
            ),
        ),
        fix=Fix(
            text="In a virtual machine, pass the host's processor through. On real hardware take a "
            "build without AVX: conda's, your own, or TensorFlow 1.5.",
            commands=("conda create -n tensorflow -c conda-forge tensorflow",),
        ),
    )
