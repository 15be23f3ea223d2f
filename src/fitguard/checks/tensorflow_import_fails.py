"""A child of this Python tried to import TensorFlow and did not come through."""

import re

from fitguard.checks.fixes import remedies
from fitguard.checks.framework.registry import check
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.software import DeepImport

_SOURCE = "import of TensorFlow in a child process (--deep)"
_QUOTED_LINES = 6
# Frames of the import machinery and of fitguard's own child say nothing of the crash.
_OWN_FRAMES = re.compile(r'File "(<frozen importlib|.*deep_child\.py)')
_BY_SIGNAL = {
    "SIGILL": "The processor lacks an instruction that this build uses, mostly AVX: see FG105.",
    "SIGSEGV": "Mostly two builds of one library meet in the process: first fix what else stands "
    "in this report, then try in a new environment.",
    "SIGABRT": "The last lines of the log name the library that gave up, mostly protobuf, CUDA or "
    "a full memory.",
    "SIGBUS": "Mostly a file that was cut short (a full disk, a broken download): install "
    "TensorFlow again, or /dev/shm is full.",
    "SIGKILL": "Mostly the kernel's or the container's memory limit: look for the out-of-memory "
    "killer in the kernel log and raise the limit.",
}


@check("FG117", "tensorflow-import-fails", requires={"FG114"})
def tensorflow_import_fails(deep: DeepImport, facts: Facts) -> Finding | None:
    """
    ## What it means
    `fitguard doctor --deep` imports TensorFlow in a child of the judged Python. That child ended
    with an exception, was ended by a signal, or did not finish in time.

    ## Why training crashes
    A training script does the same import and ends the same way. An exception (*ImportError*,
    *TypeError*, *AttributeError*) mostly means packages that do not fit together. SIGILL is an
    instruction that the processor lacks, SIGSEGV and SIGABRT come from compiled code, SIGKILL from
    a memory limit. A timeout means a very slow disk (network home folder, first import after an
    install) or a GPU driver that hangs.

    ## How to fix it
    Fix the other findings of the report first, those that start with FG1 before all: the failing
    import is most often their result. If none stands, make a new environment with nothing but
    TensorFlow; if the import works there, another package breaks it here.

    ## When this is wrong
    Under a tight memory or time limit the child may fail where training, with more of it, does
    not; then repeat the import by hand, with the command of the fix.

    ## References
    - Python, faulthandler: <https://docs.python.org/3/library/faulthandler.html>
    - TensorFlow, build and install error messages: <https://www.tensorflow.org/install/errors>
    """
    if deep.version is not None:
        return None
    lines = [line for line in deep.log if line.strip() and not _OWN_FRAMES.search(line)]
    quoted = "\n".join(lines[-_QUOTED_LINES:]) or _ending(deep)
    return Finding(
        title=_title(deep, lines),
        evidence=(Evidence(quoted, _SOURCE),),
        fix=Fix(text=_advice(deep), commands=(_repeat(facts),)),
    )


def _ending(deep: DeepImport) -> str:
    if deep.timed_out:
        return f"no end after {deep.seconds or 0:.0f} s"
    if deep.signal:
        return f"ended by {deep.signal}"
    return f"exit code {deep.exit_code}"


def _title(deep: DeepImport, lines: list[str]) -> str:
    if deep.timed_out:
        return f"The import of TensorFlow did not finish within {deep.seconds or 0:.0f} s"
    if deep.signal:
        return f"The import of TensorFlow was ended by {deep.signal}"
    last = lines[-1].strip() if lines else f"exit code {deep.exit_code}"
    return f"The import of TensorFlow fails: {last if len(last) <= 64 else last[:63] + '…'}"


def _advice(deep: DeepImport) -> str:
    if deep.timed_out:
        return (
            "Try again: the first import after an install is slow. If it hangs again, try with "
            "CUDA_VISIBLE_DEVICES=-1; if that works, the GPU driver hangs."
        )
    if deep.signal:
        return _BY_SIGNAL.get(deep.signal, "Fix what else stands in this report, then try again.")
    return (
        "Fix what else stands in this report. If nothing does, try in a new environment with "
        "nothing but TensorFlow."
    )


def _repeat(facts: Facts) -> str:
    # Python 2 has no faulthandler and stops at -X.
    old = facts.python is not None and facts.python.version.startswith("2.")
    option = "" if old else "-X faulthandler "
    return f'{remedies.python_command(facts)} {option}-c "import tensorflow"'
