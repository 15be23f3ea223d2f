"""`fitguard explain`."""

import sys
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
from cyclopts import Parameter

from fitguard.cli.console import PLAIN_OUTPUT, Output, complain, show
from fitguard.cli.run_alive import describe_alive, describe_cut_off
from fitguard.cli.run_left import GuardedRunLeft, last_run, read_run_by_id, read_run_folder
from fitguard.cli.run_page import TrustFolder
from fitguard.cli.whole_numbers import WHOLE
from fitguard.schema.exit_codes import UnreadableInput, UsageError

STDIN = "-"
NOT_DEAD = {"finished": "finished", "running": "is still running"}
NO_RUN = "There is no guarded run here."


def explain(
    *what: Annotated[
        str,
        Parameter(
            name="FILE",
            negative="",
            allow_leading_hyphen=True,  # for the one that is nothing else
            help="Logs, a folder of logs, - for standard input; or the id or folder of a guarded "
            "run; or the name of a page: a cause, a code, a group of codes, a probe.",
        ),
    ],
    exit_code: Annotated[
        int | None, WHOLE, Parameter(help="How the process ended: 137, -9, 0xC0000005.")
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
    list_pages: Annotated[
        bool,
        Parameter(name="--list", negative="", help="List the pages of all causes, codes, probes."),
    ] = False,
    verbose: Annotated[
        bool, Parameter(alias="-v", negative="", help="All causes in full, all harmless lines.")
    ] = False,
    trust_folder: TrustFolder = False,
    output: Output = PLAIN_OUTPUT,
) -> None:
    """Why did it die, and what now?

    Reads the log of a training that died. Names the cause, the line that proves it, the fix, and
    the next command to type. Harmless messages are listed as such. With nothing, explains the last
    guarded run here, unless that finished. With the name of a cause or a code, prints its page.
    With the logs of several workers, says which of them failed first: what the others print is
    fallout. Exits with 0 whenever there is an answer, whatever it is.

    For example:

        fitguard explain train.log
        python train.py 2>&1 | fitguard explain -
        fitguard explain train.log --exit-code 137 --kernel-log auto
        fitguard explain worker0.log worker1.log
        fitguard explain train.log --what-if tf=2.10 --what-if gpu="GTX 1060 6GB"
        fitguard explain 20261115-142500-train-4f2a
        fitguard explain gpu-oom
        fitguard explain FG204
    """
    given = _split_arguments(what, what_if, trust_folder=trust_folder)
    about_a_crash = exit_code is not None or signal or kernel_log or facts or given.what_if
    if not (what or about_a_crash or list_pages) and output == PLAIN_OUTPUT:
        _explain_last_run(verbose=verbose, trust_folder=trust_folder)
        return
    if given.files or given.runs or about_a_crash:
        if given.names:
            raise UsageError(
                f"Received {', '.join(given.names)} among what belongs to a crash. Expected "
                "`fitguard explain NAME` alone, or files"
            )
        if given.runs and not (given.files or about_a_crash):
            alive = describe_alive(given.runs[-1].path, trust_folder=trust_folder)
            if alive is not None:
                show(alive, output, verbose=verbose)
                return
        _diagnose(given, exit_code, signal, kernel_log, facts, verbose=verbose, output=output)
        if given.unread:
            raise UnreadableInput(given.unread[0])
        return
    if output != PLAIN_OUTPUT:
        raise UsageError(
            "Received --format, --output or --show-private without a log. Expected them with "
            "`fitguard explain FILE`; pages are Markdown"
        )
    from fitguard.cli.pages import print_lists, print_page

    for name in given.names:
        print_page(name)
    if list_pages:
        print_lists()


def _explain_last_run(*, verbose: bool, trust_folder: bool) -> None:
    """Why it died; of one that did not, that it did not, and what else can be asked."""
    last = last_run(trust_folder=trust_folder)
    left = None
    if last is not None and last.state not in NOT_DEAD:
        left = read_run_folder(last.path, trust_folder=trust_folder)
    if left is not None:
        complain(f"the last run here, {left.id}:")
        if alive := describe_alive(left.path, trust_folder=trust_folder):
            show(alive, PLAIN_OUTPUT, verbose=verbose)
            return
        given = Given([], [], {}, [left], [])
        _diagnose(given, None, None, None, None, verbose=verbose, output=PLAIN_OUTPUT)
        return
    from fitguard.cli.pages import print_ways

    print_ways(f"The last run here, {last.id}, {NOT_DEAD[last.state]}." if last else NO_RUN)


class Given(NamedTuple):
    """The arguments, by what they are.

    Args:
        unread: Why some of several logs cannot be read; the others are explained.
    """

    files: list[str]
    names: list[str]
    what_if: dict[str, str]
    runs: list[GuardedRunLeft]
    unread: list[str]


def _split_arguments(
    arguments: tuple[str, ...], what_if: tuple[str, ...], *, trust_folder: bool
) -> Given:
    """Files, names of pages, and what is known; a file may bear any name.

    Raises:
        UnreadableInput: for what looks like a path and is no file, if there is nothing else.
        UsageError: for `--what-if` without `=`.
    """
    given = Given([], [], {}, [], [])
    for argument in what_if:
        key, separator, value = argument.partition("=")
        if not separator:
            raise UsageError(f"Received --what-if {argument!r}. Expected KEY=VALUE, say tf=2.10.1")
        given.what_if[key.strip()] = value
    for argument in arguments:
        if argument == STDIN or _is_file(argument):
            given.files.append(_require_log(argument))
        elif (run := _run_of(argument, trust_folder)) is not None:
            given.runs.append(run)
        elif what_if and "=" in argument:  # as `fitguard doctor` takes several after one --what-if
            key, _, value = argument.partition("=")
            given.what_if[key.strip()] = value
        else:
            _take_other(argument, given)
    if given.unread and not (given.files or given.runs):
        raise UnreadableInput(given.unread[0])
    return given


def _take_other(argument: str, given: Given) -> None:
    """A page, a folder of logs, or a pattern; what is none of them may be missed by others."""
    from fitguard.cli.pages import is_page
    from fitguard.crash.log_folder import expand_pattern, is_folder, list_logs

    try:
        if not is_page(argument) and is_folder(argument):
            given.files.extend(map(str, list_logs(Path(argument))))
        elif found := expand_pattern(argument):
            given.files.extend(map(str, found))
        else:
            given.names.append(_name(argument))
    except UnreadableInput as error:
        given.unread.append(str(error))


def _require_log(file: str) -> str:
    """A script is no log, though it can be read like one."""
    if not file.endswith(".py"):
        return file
    raise UsageError(
        f"Received {file}, which is a script. Expected what it wrote: `python {file} 2>&1 | tee "
        f"train.log`, then `fitguard explain train.log`. `fitguard check {file}` looks at the "
        "script itself, before it trains"
    )


def _is_file(argument: str) -> bool:
    try:
        return Path(argument).exists() and not Path(argument).is_dir()
    except (OSError, ValueError):  # too long, or with a zero byte
        return False


def _run_of(argument: str, trust_folder: bool) -> GuardedRunLeft | None:
    """By its folder or its id; a name of a page is no id, whatever runs are called."""
    from fitguard.cli.pages import is_page

    found = read_run_folder(Path(argument), trust_folder=trust_folder)
    if found is None and not is_page(argument):
        found = read_run_by_id(argument, trust_folder=trust_folder)
    return found


def _name(argument: str) -> str:
    from fitguard.cli.pages import is_page

    if argument.startswith("-"):
        raise UsageError(f"Unknown option: {argument}. `fitguard explain --help` lists them all")
    if is_page(argument):
        return argument
    if "/" in argument or "\\" in argument or Path(argument).suffix:
        raise UnreadableInput(
            f"Received {argument}, which does not exist. Expected a log, - for standard input, or "
            "a run (`fitguard runs` lists them)"
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
    from fitguard.crash.given import AUTO, GivenLog

    command: tuple[str, ...] = ()
    batch_size = None
    logs = [GivenLog(sys.stdin.buffer if file == STDIN else Path(file)) for file in given.files]
    for run in given.runs:
        logs.append(GivenLog(run.output, exit_code=run.exit_code, signal=run.signal))
        command, batch_size = run.command, run.batch_size
    read = [*given.files, *(run.id for run in given.runs)]
    with waiting(f"Reading {', '.join(read) or 'the kernel log'} …"):
        diagnosis = explain_crash(
            logs,
            exit_code=exit_code,
            signal=signal,
            kernel_log=Path(kernel_log) if kernel_log not in (None, AUTO) else kernel_log,
            facts=facts,
            what_if=given.what_if,
            command=command,
            batch_size=batch_size,
            guarded=bool(given.runs),
            measured=[sentence for run in given.runs for sentence in run.measured],
        )
    if given.runs and given.runs[-1].is_cut_off and diagnosis.primary in (None, "none", "unknown"):
        diagnosis = describe_cut_off(given.runs[-1].id, given.runs[-1].path, command)
    unguarded = tuple(text for run in given.runs for text in run.unguarded)
    notes = (*unguarded, *given.unread, *diagnosis.notes)
    diagnosis = msgspec.structs.replace(diagnosis, notes=notes)
    show(diagnosis, output, verbose=verbose, command=command)
