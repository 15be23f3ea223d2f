"""The run failed, and no known cause explains it."""

from fitguard.causes.derived.abrupt_end import find_end_signal
from fitguard.causes.derived.own_fault import own_fault
from fitguard.causes.derived.script_error import remedy, script_error, summarize, tell_why
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.schema.crash import Signal, Story, Traceback
from fitguard.schema.finding import Fix

_TELLS_NO_CAUSE = (
    "exception",
    "check-failed",
    "segmentation-fault",
    "segfault-in",
    "aborted",
    "bus-error",
    "floating-point-exception",
    "kernel-died",
)
# Too little for the primary cause: it is what is left where no other weighs enough.
_WEIGHT = 0.14
# An error of the script is the answer where no other cause weighs enough to be primary.
_SCRIPT_WEIGHT = 0.6
# But where fitguard itself failed, nothing else did.
_OWN_WEIGHT = 0.95


@cause("unknown")
def unknown(story: Story) -> Verdict | None:
    """
    ## What it means
    One of three things happened:
    - Your script itself raised an error, such as a KeyError. Then fitguard names the line, and the
      GPU is not to blame.
    - A signal ended the process, or an error that fitguard does not know, and no line tells why.
      fitguard does not guess.
    - fitguard itself failed. Then it says so, and nothing is wrong with your program.

    ## How to be sure
    More evidence decides it, most often one of these:
    - the whole log, its first error included, and not only the last lines;
    - the exit code (`echo $?`), as `--exit-code`;
    - the kernel log (`sudo dmesg -T`), as `--kernel-log`: Xid, the OOM killer, a segfault and the
      library it was in;
    - for a segfault: `python -X faulthandler train.py`, which prints where Python stood.

    ## How to fix it
    Run it once more with the evidence switched on: `python -X faulthandler`,
    `TF_CPP_MIN_LOG_LEVEL=0`, `CUDA_LAUNCH_BLOCKING=1`. Cut the program down until the failure is
    alone. A segfault outside of TensorFlow's libraries is most often code of one's own, or another
    compiled package.

    ## When this reading is wrong
    The script's line may only be where an earlier problem shows: look at what came before it.

    ## References
    - Python, faulthandler
    """
    if own := own_fault(story):
        return _own_verdict(own, story)
    if error := script_error(story):
        return _script_verdict(error)
    scales = Scales()
    _, end = find_end_signal(story)
    scales.add(_WEIGHT, story.first(*_TELLS_NO_CAUSE) or end)
    if not scales.weight and story.ending.exit_code:
        scales.add(_WEIGHT, *story.ending.evidence)
    return scales.verdict(
        why="The run failed, and no line that was given says why.",
        fix=Fix(
            "Run it once more as `python -X faulthandler train.py` with TF_CPP_MIN_LOG_LEVEL=0, "
            "and give the whole log, the exit code and the kernel log.",
        ),
    )


def _script_verdict(error: Traceback) -> Verdict | None:
    scales = Scales()
    scales.add(_SCRIPT_WEIGHT, error.evidence, error.raised_in.evidence)
    return scales.verdict(why=tell_why(error), fix=remedy(error), summary=summarize(error))


def _own_verdict(own: Signal, story: Story) -> Verdict | None:
    scales = Scales()
    scales.add(_OWN_WEIGHT, next(iter(story.role("stop")), None), own)
    return scales.verdict(
        why="This is a fault of fitguard itself: the error was raised in its own code.",
        fix=Fix(
            "`python train.py` trains without fitguard. Please report the traceback, with the "
            "versions that `fitguard doctor` shows, where you got fitguard from."
        ),
    )
