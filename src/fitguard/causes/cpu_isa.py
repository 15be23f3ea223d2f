"""The processor lacks instructions that this TensorFlow uses."""

from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.knowledge import knowledge
from fitguard.schema.crash import Story
from fitguard.schema.finding import Finding, Fix


@cause("cpu-isa")
def cpu_isa(story: Story) -> Verdict | None:
    """
    ## What it means
    The wheels of TensorFlow use AVX since 1.6; a few releases (2.4.0) used AVX2 and FMA by mistake.
    On a processor without these instructions the program is stopped at once, mostly while
    `import tensorflow` runs: *Illegal instruction (core dumped)*, exit code 132 or -4, on Windows
    *DLL initialization routine failed* or 0xC000001D. Celeron, Pentium and Atom processors often
    have no AVX, nor have many processors before 2011. A virtual machine has it only if it is passed
    through.

    ## How to be sure
    - `grep -o -w -m1 -e avx -e avx2 -e fma /proc/cpuinfo` lists what the processor has.
    - TensorFlow may say it itself: *compiled to use AVX instructions, but these aren't available on
      your machine*.
    - In a virtual machine compare with the host.

    ## How to fix it
    Use TensorFlow 1.5 (the last without AVX), a build from source or from the community for this
    processor, or another machine. In a virtual machine set the processor type to `host`. For 2.4.0
    take 2.4.1.

    ## When this reading is wrong
    *Your CPU supports instructions that this TensorFlow binary was not compiled to use* is the
    reverse, and harmless. An illegal instruction in the middle of a training can be faulty memory
    or an extension of another package. *DLL initialization routine failed* is also a sign of an old
    Microsoft Visual C++ runtime.

    ## References
    - TensorFlow 1.6 release notes (AVX); `tensorflow/core/platform/cpu_feature_guard.cc`
    - tensorflow/tensorflow issues 17411, 19584 and 45744
    """
    finding = story.finding("cpu-isa")
    told = story.first("cpu-instructions-missing")
    illegal = story.first("illegal-instruction", "invalid-opcode")
    scales = Scales()
    scales.add(0.95, told)
    scales.add(0.84, illegal)
    if illegal is None and story.ending.signal == "SIGILL":
        scales.add(0.82, *story.ending.evidence)
    scales.add(0.55, story.first("dll-initialisation-failed"))
    scales.add(0.6, story.first("said-no-avx"))
    if scales.weight:
        scales.add(0.5, finding)
    instructions = told.values.get("instructions") if told is not None else None
    return scales.verdict(why=_why(story, instructions, finding), fix=_fix(story, finding))


def _why(story: Story, instructions: str | None, finding: Finding | None) -> str:
    if instructions:
        return f"TensorFlow says that it uses {instructions} and this processor does not have them."
    if finding is not None:
        return f"{finding.title}."
    if story.has("dll-initialisation-failed"):
        return "A DLL of TensorFlow was found and its first instructions failed, as without AVX."
    return "The processor met an instruction that it does not know. TensorFlow's AVX code has such."


def _fix(story: Story, finding: Finding | None) -> Fix:
    if finding is not None:
        return finding.fix
    last = [release for release in knowledge().tensorflow.all if not release.avx][-1]
    words = (
        "Look whether the processor has AVX, AVX2 and FMA. If not: in a virtual machine pass the "
        "host's processor through; else use another machine, a build made for this processor, or "
        f"TensorFlow {last.version}, the last without AVX."
    )
    known = story.facts.tensorflow
    if known is not None and known.version == "2.4.0":
        words += " If it has AVX but not AVX2, use 2.4.1: 2.4.0 used more than it should."
    if story.has("dll-initialisation-failed"):
        words += " If it has AVX, install the current Microsoft Visual C++ redistributable."
        return Fix(text=words)
    return Fix(
        text=words, commands=("grep -o -w -m1 -e avx -e avx2 -e fma /proc/cpuinfo | sort -u",)
    )
