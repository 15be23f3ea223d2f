"""Where nothing decides: which fact would, and how to get it."""

from collections.abc import Iterator, Sequence

from fitguard.schema.crash import Ending, Story
from fitguard.schema.diagnosis import FoundCause, Question

MOST = 4
SHORT = 40
"""A log of fewer lines is rather the end of one."""

HARMLESS_ROLES = ("noise", "healthy", "context", "clue")
CRASHES = {
    "SIGSEGV": "segmentation-fault",
    "SIGABRT": "aborted",
    "SIGBUS": "bus-error",
    "SIGILL": "illegal-instruction",
}
OTHER_CRASHES = ("heap-corrupted", "kernel-died", "segfault-in", "invalid-opcode")
KILLED = ("killed", "words-killed")
ASYNCHRONOUS = (
    "illegal-address", "misaligned-address", "gpu-illegal-instruction", "launch-failed",
    "device-assert", "event-status", "gpu-sync-failed", "cuda-unknown-at-run",
    "cudnn-execution-failed", "cudnn-mapping-error",
)  # fmt: skip
"""The GPU failed some time before the line that tells of it."""
NO_GPU = (
    "gpu-not-listed", "no-cuda-device", "cuinit-failed", "library-missing",
    "skipping-gpu-registration", "cuda-drivers-not-found", "gpu-asked-for-in-vain",
    "said-gpu-not-seen",
)  # fmt: skip
HANGING = ("hang-told", "many-gpus-hang", "peer-late", "stacks-at-timeout", "hung-task")
MANY_GPUS = (
    "nccl-failed",
    "nccl-in-stack",
    "collective-aborted",
    "many-gpus-fail",
    "many-replicas",
)

KERNEL_LOG = (
    "Add `--kernel-log auto` on the machine where it ran, soon after; elsewhere give it the file "
    "that `sudo dmesg -T > kernel.log` wrote there."
)
MACHINE = (
    "Add `--facts auto` on the machine where it ran, or run `fitguard doctor` there; elsewhere "
    "say what is known, such as `--what-if tf=2.15 --what-if gpu=T4 --what-if driver=535`."
)


def questions(story: Story, causes: Sequence[FoundCause]) -> tuple[Question, ...]:
    """The facts that are missing, the most telling first; none that is known already."""
    asked: dict[str, Question] = {}
    likely: set[str] = {found.cause for found in causes}
    for question in _collect_questions(story, likely):
        asked.setdefault(question.how, question)  # one way to learn two things is told once
    return tuple(asked.values())[:MOST]


def doubts(story: Story) -> tuple[Question, ...]:
    """Where nothing is wrong, but nothing says that the run came to its end either."""
    if story.ending != Ending() or story.has("training-finished"):
        return ()
    return questions(story, ())


def _collect_questions(story: Story, likely: set[str]) -> Iterator[Question]:
    yield from _ask_for_log(story)
    yield from _ask_about_kill(story)
    yield from _ask_about_crash(story)
    yield from _ask_about_async_failure(story)
    yield from _ask_about_hang(story, likely)
    yield from _ask_about_missing_gpu(story, likely)
    yield from _ask_about_gpu_memory(story, likely)
    yield from _ask_about_nan(story, likely)
    yield from _ask_for_stderr(story)
    yield from _ask_for_whole_log(story)
    yield from _ask_anything_else(story)


def _ask_for_log(story: Story) -> Iterator[Question]:
    if "log" not in story.sources:
        yield Question(
            "What the run wrote before it ended",
            "Keep its output: `python train.py 2>&1 | tee train.log`, then "
            "`fitguard explain train.log`.",
        )


def _ask_about_kill(story: Story) -> Iterator[Question]:
    if story.ending.signal != "SIGKILL" and not story.has(*KILLED):
        return
    if not _kernel_log_known(story):
        yield Question("Whether the kernel killed it because memory ran out", KERNEL_LOG)
    yield Question(
        "Whether the container or the job hit its memory limit",
        "In the container: `cat /sys/fs/cgroup/memory.events`, where oom_kill above 0 says yes. "
        "Under Kubernetes: `kubectl describe pod NAME` says OOMKilled. Under Slurm: "
        "`sacct -j JOB --format=State,MaxRSS,ReqMem`.",
    )


def _ask_about_crash(story: Story) -> Iterator[Question]:
    by_signal = story.ending.signal in CRASHES
    if not by_signal and not story.has(*CRASHES.values(), *OTHER_CRASHES):
        return
    yield Question(
        "Where in the program it crashed",
        "Run it as `python -X faulthandler train.py`: it then prints the Python lines it died in.",
    )
    if not _kernel_log_known(story):
        yield Question("In which library it crashed, as the kernel names it", KERNEL_LOG)
    if story.facts.tensorflow is None or story.facts.packages is None:
        yield Question("Which versions were loaded together", MACHINE)
    yield Question(
        "The stack of the crash in C++",
        "If the system keeps core dumps, `coredumpctl info` shows it; else start it as "
        "`gdb -ex run -ex bt --args python train.py`.",
    )


def _ask_about_async_failure(story: Story) -> Iterator[Question]:
    if not story.has(*ASYNCHRONOUS):
        return
    if not _kernel_log_known(story):
        yield Question("Which Xid the driver logged, if any", KERNEL_LOG)
    yield Question(
        "Which operation failed: the GPU works behind Python, so the line shown is a later one",
        "Run it again as `CUDA_LAUNCH_BLOCKING=1 python train.py`: slower, but it stops at the "
        "right place.",
    )


def _ask_about_hang(story: Story, likely: set[str]) -> Iterator[Question]:
    if "hang" in likely or story.has(*HANGING):
        yield Question(
            "What the process waits for",
            "While it hangs: `py-spy dump --native --pid PID` (from `pip install py-spy`) shows "
            "the stack of each thread.",
        )
    if "multi-gpu-comm" in likely or story.has(*MANY_GPUS):
        yield Question(
            "Whether it runs on one GPU, and what NCCL says on several",
            "Run it once as `CUDA_VISIBLE_DEVICES=0 python train.py`, and once as "
            "`NCCL_DEBUG=INFO python train.py`.",
        )


def _ask_about_missing_gpu(story: Story, likely: set[str]) -> Iterator[Question]:
    about_install = {"cuda-missing", "cudnn-missing", "tf-cpu-only", "driver-broken"} & likely
    if (about_install or story.has(*NO_GPU)) and not _machine_known(story):
        yield Question("Which GPU, driver, CUDA and TensorFlow are there", MACHINE)


def _ask_about_gpu_memory(story: Story, likely: set[str]) -> Iterator[Question]:
    used_known = any(gpu.used_bytes is not None for gpu in story.facts.gpus or ())
    if {"gpu-oom", "gpu-memory-taken"} & likely and not used_known:
        yield Question(
            "Whether other processes hold the GPU's memory",
            "Just before the run: `nvidia-smi --query-gpu=memory.used,memory.total --format=csv`, "
            "and `nvidia-smi` for the processes.",
        )


def _ask_about_nan(story: Story, likely: set[str]) -> Iterator[Question]:
    if "numeric-nan" in likely or story.has("loss-nan"):
        yield Question(
            "Which operation gives the first NaN",
            "Call `tf.debugging.enable_check_numerics()` before the model is built, and run again.",
        )


def _ask_for_stderr(story: Story) -> Iterator[Question]:
    if "log" in story.sources and all(line.role in HARMLESS_ROLES for line in story.signals):
        yield Question(
            "What TensorFlow itself wrote, which this log does not hold",
            "It goes to stderr, and may be turned off. Run "
            "`TF_CPP_MIN_LOG_LEVEL=0 python train.py 2>&1 | tee train.log`.",
        )


def _ask_for_whole_log(story: Story) -> Iterator[Question]:
    begun = story.role("noise", "healthy")  # what TensorFlow writes when it starts
    if (
        "log" in story.sources
        and story.lines < SHORT
        and story.role("stop", "fallout", "symptom")
        and not begun
    ):
        yield Question(
            "What was written before these lines: the first failure counts",
            "Give the whole log, from the start of the program on.",
        )


def _ask_anything_else(story: Story) -> Iterator[Question]:
    if story.ending.exit_code is None and story.ending.signal is None:
        yield Question(
            "How the process ended",
            "Right after it, `echo $?` shows its exit code: add it as `--exit-code N`.",
        )
    if not _machine_known(story):
        yield Question("Which GPU, driver, CUDA and TensorFlow are there", MACHINE)
    if not _kernel_log_known(story):
        yield Question("What the kernel logged meanwhile", KERNEL_LOG)


def _kernel_log_known(story: Story) -> bool:
    saved = story.facts.kernel_log
    return "kernel log" in story.sources or bool(saved and saved.readable)


def _machine_known(story: Story) -> bool:
    facts = story.facts
    return facts.tensorflow is not None and (facts.gpus is not None or facts.driver is not None)
