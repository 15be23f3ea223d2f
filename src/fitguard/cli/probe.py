"""`fitguard probe`."""

import contextlib
import signal
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fitguard.cli.console import PLAIN_OUTPUT, Output, require_usable, show
from fitguard.cli.other_python import enter_training_python
from fitguard.cli.run_page import TrustFolder
from fitguard.cli.runs import RunsFolder
from fitguard.cli.training_options import Arguments, is_piped
from fitguard.monitor.run_folder import RUNS
from fitguard.schema.exit_codes import ExitCode, UsageError
from fitguard.schema.probe import Level

STDERR = 2
_LEAVING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_MOST_MINUTES = 60 * 24 * 366


def probe(
    *arguments: Arguments,
    level: Annotated[
        Level,
        Parameter(help="How much is tried: quick (a minute), medium (5), long (until told)."),
    ] = "quick",
    device: Annotated[
        str, Parameter(help="`all`, or numbers of GPUs as nvidia-smi gives them: 0 or 0,2.")
    ] = "all",
    only: Annotated[
        tuple[str, ...],
        Parameter(negative="", consume_multiple=True, help="Names of probes; may be several."),
    ] = (),
    minutes: Annotated[float | None, Parameter(help="When to stop; default: as --level says.")] = (
        None
    ),
    python: Annotated[
        str | None,
        Parameter(help="The Python that trains; fitguard need not be installed there."),
    ] = None,
    like: Annotated[
        str | None,
        Parameter(
            help="A script that trains: the layers that it uses are probed, on their shapes and "
            "types. Its own arguments go behind two hyphens; fitguard must be installed beside it."
        ),
    ] = None,
    name: Annotated[
        str | None, Parameter(help="Of the run, with --level long; default: made of the time.")
    ] = None,
    resume: Annotated[
        str | None,
        Parameter(help="Go on with a run of --level long: this one, or without a name the newest."),
    ] = None,
    keep_going: Annotated[
        bool, Parameter(negative="", help="With --level long: do not stop at the first wrong bit.")
    ] = False,
    runs_folder: RunsFolder = Path(RUNS),
    trust_folder: TrustFolder = False,
    verbose: Annotated[
        bool, Parameter(alias="-v", negative="", help="Show the logs of what failed.")
    ] = False,
    output: Output = PLAIN_OUTPUT,
) -> int:
    """Does this GPU really compute?

    Runs small known computations, each in a process of its own, and compares their results: matrix
    products, convolutions, recurrent layers, XLA, copies, memory, a step of training. A crash is a
    result, with its cause and what to do. Exits with 4 when one fails. Without a GPU it tries the
    CPU.

    `--level long` computes in random order, with each bit of each result checked, until you press
    Ctrl-C, SIGTERM comes, or the minutes are over. It is a run, which `fitguard watch` and
    `fitguard report` show and `--resume` continues.

    For example:

        fitguard probe
        fitguard probe --level medium --device 0
        fitguard probe --only matmul-float32 convolution
        fitguard probe --level long --minutes 480 --name night
        fitguard probe --level long --resume night
        fitguard probe --python .venv/bin/python --format json
        fitguard probe --like train.py --format markdown -- --data images
    """
    if minutes is not None and not 0 < minutes <= _MOST_MINUTES:
        raise UsageError(
            f"Received --minutes {minutes:g}. Expected a number above 0, at most {_MOST_MINUTES:,} "
            "(a year)"
        )
    require_usable(output, refused=("sarif",))
    if arguments and like is None:
        raise UsageError(f"Received {arguments[0]}. Expected options, or --like SCRIPT before it")
    if like == "":
        raise UsageError("Received --like ''. Expected a script that trains, such as train.py")
    from fitguard.cli.progress import countdown
    from fitguard.cli.run import say
    from fitguard.readiness import probing

    if like is not None:
        enter_training_python("probe", python)
    with contextlib.ExitStack() as stack:
        soaks = level == "long"
        tell = (lambda *_: None) if soaks else stack.enter_context(countdown("probing"))
        # A soak takes signals itself: it is a guarded run.
        asked = None if soaks else stack.enter_context(noticing_signals())
        report = probing.probe(
            like=like,
            arguments=arguments,
            level=level,
            device=device,
            only=only,
            minutes=minutes,
            python=python,
            tell=tell,
            stop=lambda: asked is not None and bool(asked),
            name=name,
            resume=resume,
            runs_folder=runs_folder,
            trust_folder=trust_folder,
            keep_going=keep_going,
            say=say,
            show=STDERR,
            with_stdin=is_piped(),
        )
    show(report, output, verbose=verbose)
    if asked:
        return 128 + asked[0]
    return ExitCode.FINE if report.ok else ExitCode.GATE_FAILED


@contextlib.contextmanager
def noticing_signals() -> Iterator[list[int]]:
    """The signals that ask to leave: the first one is noted, the second one interrupts."""
    noted: list[int] = []

    def note(number: int, _: object) -> None:
        if noted:
            raise KeyboardInterrupt
        noted.append(number)

    before = {number: signal.signal(number, note) for number in _LEAVING}
    try:
        yield noted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def name_resumed(arguments: Sequence[str]) -> list[str]:
    """The words behind `probe`; `--resume` without a name means the newest run."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    own, of_the_script = arguments[:end], arguments[end:]
    named = [
        "--resume=" if word == "--resume" and after.startswith("-") else word
        for word, after in pairwise((*own, "--"))
    ]
    return [*named, *of_the_script]
