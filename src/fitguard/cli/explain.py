"""`fitguard explain`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec
from cyclopts import Parameter

from fitguard.cli.console import PLAIN_OUTPUT, Output, complain, show
from fitguard.cli.run_left import GuardedRunLeft, died_last, left_by
from fitguard.schema.exit_codes import UnreadableInput, UsageError

if TYPE_CHECKING:
    from fitguard.crash.reader import Log

STDIN = "-"


def explain(
    *what: Annotated[
        str,
        Parameter(
            name="FILE",
            negative="",
            allow_leading_hyphen=True,  # for the one that is nothing else
            help="Logs of the run, - for standard input; or a code, a group of codes or a slug.",
        ),
    ],
    exit_code: Annotated[
        int | None, Parameter(help="How the process ended: 137, -9, 0xC0000005.")
    ] = None,
    signal: Annotated[str | None, Parameter(help="The signal that ended it: SIGKILL.")] = None,
    kernel_log: Annotated[
        str | None, Parameter(help="What dmesg shows: a file, or auto for this machine's.")
    ] = None,
    facts: Annotated[
        str | None,
        Parameter(help="Of the machine: a file of `fitguard facts`, or auto for this one."),
    ] = None,
    what_if: Annotated[
        tuple[str, ...],
        Parameter(
            negative="",
            help="What else is known of the machine: KEY=VALUE, with the keys of `fitguard "
            "doctor`. May be vague: driver=R536, cuda=10.x.",
        ),
    ] = (),
    verbose: Annotated[
        bool, Parameter(alias="-v", negative="", help="All causes in full, all harmless lines.")
    ] = False,
    output: Output = PLAIN_OUTPUT,
) -> None:
    """Why did it die, and what now?

    Reads what is left of a run that died and names the cause, the line that proves it, and the
    fix. Harmless messages are listed as such. With the folder of a guarded run, reads what that
    wrote; with nothing, that of the last run here, unless it finished. With a code or a slug,
    prints its page; with nothing, and no such run, lists them all. Exits with 0 whenever there is
    an answer, whatever it is.

    For example:

        fitguard explain train.log
        python train.py 2>&1 | fitguard explain -
        fitguard explain train.log --exit-code 137 --kernel-log auto
        fitguard explain train.log --what-if tf=2.10 --what-if gpu="GTX 1060 6GB"
        fitguard explain fitguard-runs/20261115-142500-train-4f2a
        fitguard explain gpu-oom
        fitguard explain FG204
    """
    given = _parted(what, what_if)
    if not what and output == PLAIN_OUTPUT and (last := died_last()):
        complain(f"the last run here, {last.id}:")
        given.runs.append(last)
    asked_for_diagnosis = given.files or given.runs or given.what_if or exit_code is not None
    if asked_for_diagnosis or signal or kernel_log or facts:
        if given.names:
            raise UsageError(
                f"Received {', '.join(given.names)} among what belongs to a crash. Expected "
                "`fitguard explain NAME` alone, or files"
            )
        _diagnose(given, exit_code, signal, kernel_log, facts, verbose=verbose, output=output)
        return
    if output != PLAIN_OUTPUT:
        raise UsageError(
            "Received --format, --output or --show-private without a log. Expected them with "
            "`fitguard explain FILE`; pages are Markdown"
        )
    from fitguard.cli.pages import print_lists, print_page

    for name in given.names:
        print_page(name)
    if not given.names:
        print_lists()


class Given(NamedTuple):
    """The arguments, by what they are."""

    files: list[str]
    names: list[str]
    what_if: dict[str, str]
    runs: list[GuardedRunLeft]


def _parted(arguments: tuple[str, ...], what_if: tuple[str, ...]) -> Given:
    """Files, names of pages, and what is known; a file may bear any name.

    Raises:
        UnreadableInput: for what looks like a path and is no file.
        UsageError: for `--what-if` without `=`.
    """
    given = Given([], [], {}, [])
    for argument in what_if:
        key, separator, value = argument.partition("=")
        if not separator:
            raise UsageError(f"Received --what-if {argument!r}. Expected KEY=VALUE, say tf=2.10.1")
        given.what_if[key.strip()] = value
    for argument in arguments:
        if argument == STDIN or _is_file(argument):
            given.files.append(argument)
        elif (run := left_by(Path(argument))) is not None:
            given.runs.append(run)
        elif what_if and "=" in argument:  # as `fitguard doctor` takes several after one --what-if
            key, _, value = argument.partition("=")
            given.what_if[key.strip()] = value
        else:
            given.names.append(_name(argument))
    return given


def _is_file(argument: str) -> bool:
    try:
        return Path(argument).exists() and not Path(argument).is_dir()
    except (OSError, ValueError):  # too long, or with a zero byte
        return False


def _name(argument: str) -> str:
    from fitguard.cli.pages import is_page

    if argument.startswith("-"):
        raise UsageError(f"Unknown option: {argument}. `fitguard explain --help` lists them all")
    if is_page(argument):
        return argument
    if Path(argument).is_dir():
        raise UnreadableInput(f"Received {argument}, which is a folder. Expected a log")
    if "/" in argument or "\\" in argument or Path(argument).suffix:
        raise UnreadableInput(
            f"Received {argument}, which does not exist. Expected a log, or - for standard input"
        )
    return argument


def _diagnose(
    given: Given,
    exit_code: int | None,
    signal: str | None,
    kernel_log: str | None,
    facts: str | None,
    *,
    verbose: bool,
    output: Output,
) -> None:
    from fitguard.cli.progress import waiting
    from fitguard.crash.explanation import explain as explain_crash
    from fitguard.crash.given import AUTO

    logs: list[Log] = [sys.stdin.buffer if file == STDIN else Path(file) for file in given.files]
    for run in given.runs:
        logs.append(run.output)
        exit_code = run.exit_code if exit_code is None else exit_code
        signal = signal or run.signal
    read = [*given.files, *(run.id for run in given.runs)]
    with waiting(f"Reading {', '.join(read) or 'the kernel log'} …"):
        diagnosis = explain_crash(
            logs,
            exit_code=exit_code,
            signal=signal,
            kernel_log=Path(kernel_log) if kernel_log not in (None, AUTO) else kernel_log,
            facts=facts,
            what_if=given.what_if,
        )
    unguarded = tuple(text for run in given.runs for text in run.unguarded)
    diagnosis = msgspec.structs.replace(diagnosis, notes=(*unguarded, *diagnosis.notes))
    show(diagnosis, output, verbose=verbose)
