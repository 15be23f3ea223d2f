"""Looks at the fits of a script in a process of their own, and puts the report together."""

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from fitguard.clean_start import words_to_run
from fitguard.memory.fit_call.functions import parse_reference
from fitguard.probes.doctor import doctor
from fitguard.readiness.request import Answer, FitOptions, Request, Task
from fitguard.readiness.standing_in import count_gpus
from fitguard.readiness.verdict import compose_report
from fitguard.readiness.visiting import find_missed
from fitguard.schema.check import CheckReport
from fitguard.schema.cluster import Cluster
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.exit_codes import UsageError

_LATE = "the script was left after {:.0f} s"
_CLUSTER_SECONDS = 120.0


def check_script(
    reference: str,
    arguments: Sequence[str] = (),
    *,
    python: str = sys.executable,
    options: FitOptions | None = None,
    limit_seconds: float | None = None,
    with_stdin: bool = False,
    machine: DoctorReport | None = None,
    machine_seconds: float = 0.0,
) -> CheckReport:
    """Look at machine, data and memory of what a script is about to do.

    Args:
        reference: FILE.py, or FILE.py:FUNCTION.
        arguments: Of the script itself.
        python: The interpreter that trains; it has fitguard.
        limit_seconds: After this, what was found so far counts. By default there is no limit, but
            two minutes for a process of a cluster: it may wait for others that never come.
        with_stdin: Whether the script may read the standard input of this process.
        machine: What the doctor says, where it was asked already.
        machine_seconds: What that took; it counts as part of the check.

    Raises:
        UnreadableInput: where there is no such file.
        UsageError: where the reference is none, or its function gives no training.
    """
    began = time.monotonic()
    parse_reference(reference)
    options = options or FitOptions()
    judged = machine or doctor(python=python, ignore=options.ignore)
    options = msgspec.structs.replace(options, gpus=count_gpus(judged.facts))
    if limit_seconds is None:
        limit_seconds = _limit_for(judged.facts.cluster)
    answers, failure = ask_child(
        python, reference, arguments, options, limit_seconds, with_stdin=with_stdin
    )
    if refusal := next((one.refusal for one in answers if one.refusal), ""):
        raise UsageError(refusal)
    return compose_report(
        doctor=judged,
        fits=[answer.fit for answer in answers if answer.fit is not None],
        command=training_command(reference, arguments),
        failure=failure or next((one.failure for one in answers if one.failure), ""),
        unreached=next((one.unreached for one in answers if one.unreached), ""),
        notes=[note for answer in answers for note in answer.notes],
        missed=[line for answer in answers for line in answer.missed],
        script=reference,
        seconds=machine_seconds + time.monotonic() - began,
    )


def ask_child(
    python: str,
    reference: str,
    arguments: Sequence[str],
    options: FitOptions,
    limit_seconds: float | None,
    *,
    with_stdin: bool,
    task: Task = "check",
) -> tuple[list[Answer], str]:
    """What the child found, and how it died if it did."""
    with tempfile.TemporaryDirectory(prefix="fitguard-check-") as folder:
        answers = Path(folder, "answers.jsonl")
        answers.touch()
        request = Path(folder, "request.json")
        request.write_bytes(
            msgspec.json.encode(
                Request(
                    reference=reference,
                    arguments=tuple(arguments),
                    task=task,
                    options=options,
                    answers=str(answers),
                )
            )
        )
        command = [python, *words_to_run("fitguard.readiness.child"), str(request)]
        death = _run(command, limit_seconds, None if with_stdin else subprocess.DEVNULL)
        lines = answers.read_bytes().splitlines()
    found = [msgspec.json.decode(line, type=Answer) for line in lines]
    if death and (seen := [answer.line for answer in found if answer.line is not None]):
        missed = find_missed(Path(reference), seen)
        return [*found, Answer(notes=(f"After that, {death}.",), missed=missed)], ""
    if death == _LATE.format(limit_seconds or 0):
        return [*found, Answer(unreached=death)], ""
    return found, death


def _limit_for(cluster: Cluster | None) -> float | None:
    """A strategy that waits for others reacts to no signal but SIGKILL."""
    together = cluster is not None and (cluster.peers or cluster.launcher)
    return _CLUSTER_SECONDS if together else None


def _run(command: Sequence[str], limit_seconds: float | None, stdin: int | None) -> str:
    """Run the child, and end what it leaves behind; how it died, if it did."""
    child = subprocess.Popen(command, stdin=stdin, stdout=2, start_new_session=True)
    try:
        return _death(child.wait(limit_seconds))
    except subprocess.TimeoutExpired:
        return _LATE.format(limit_seconds or 0)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _death(code: int) -> str:
    """How the child died; empty where it did not."""
    if code == 0:
        return ""
    if code < 0:
        return f"the script was ended by {signal.Signals(-code).name}"
    return f"the script left with exit code {code}"


def training_command(reference: str, arguments: Sequence[str]) -> str:
    """What trains, as one would type it; empty where only a function is named."""
    return shlex.join([reference, *arguments]) if reference.endswith(".py") else ""
