"""What an attempt gets of XLA's autotuning results, and what it leaves.

An attempt begins with the newest results of this run, else with those of an earlier one, and writes
its own: those it was given and what it has found itself. They are not used again

- after the training has run out of memory: with less room, XLA chooses kernels that need less;
- where an attempt that began with them has failed before its first step.
"""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fitguard.facts import nvml
from fitguard.facts.probe import Probe
from fitguard.monitor.regular_files import make_folder
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.run import Outcome
from fitguard.supervise.autotuned.choosing import FROM_EARLIER_RUN, RunResults, WholeFile
from fitguard.supervise.autotuned.flags import DUMP, LOAD, VARIABLE, add_flags, are_known
from fitguard.supervise.autotuned.kept import KeptResults
from fitguard.supervise.autotuned.results import MOST_BYTES, count_results
from fitguard.supervise.command import Command
from fitguard.words import count

SWITCH = "FITGUARD_KEEP_AUTOTUNING"
"""Set to 0 in the environment of a training, nothing is given to it."""
_NVML_SECONDS = 5.0
_ROOM_BYTES = 4 * MOST_BYTES
"""On the disk: results that cannot be written are an error of the compilation."""
_OF_ITS_OWN: tuple[Outcome, ...] = ("crashed", "exception", "exited", "hung")


@dataclass(frozen=True)
class Autotuned:
    """The results of one attempt.

    Args:
        flags: What `XLA_FLAGS` shall be.
        given: What the attempt begins with; None for nothing.
    """

    flags: str
    given: WholeFile | None
    of_run: RunResults
    kept: KeptResults

    def __str__(self) -> str:
        """`2 autotuning results of attempt 1`; empty where nothing was given."""
        if self.given is None:
            return ""
        whence = f"attempt {self.given.attempt}"
        if self.given.attempt == FROM_EARLIER_RUN:
            whence = "an earlier run of the same script with this TensorFlow, driver and card"
        return f"{count(self.given.count, 'autotuning result')} of {whence}"

    def take(self, outcome: Outcome, *, stepped: bool, short_of_memory: bool) -> bool:
        """The attempt has ended; whether what it was given may be why it failed.

        Args:
            stepped: A step was done in it.
            short_of_memory: An earlier attempt has run out of memory: then a later run, which may
                have more, shall try for itself.
        """
        failed = self.given is not None and outcome in _OF_ITS_OWN and not stepped
        if failed or outcome == "out-of-memory":
            self.of_run.forget()
            self.kept.forget()
        elif not short_of_memory and (newest := self.of_run.find()) is not None:
            self.kept.keep(newest.content)
        return failed


def give_results(
    folder: RunFolder,
    attempt: int,
    command: Command,
    environment: Mapping[str, str],
    memory_limit_bytes: int | None,
    read: Callable[[], nvml.NvmlFacts] = nvml.read,
) -> Autotuned | None:
    """What an attempt begins with; None where nothing is to be set for it.

    Args:
        environment: Of the training.
        memory_limit_bytes: That it may take of each GPU.
        read: Asks NVML.
    """
    if environment.get(SWITCH) == "0" or add_flags(environment.get(VARIABLE, ""), {}) is None:
        return None
    # A driver that hangs must not keep the training from its start.
    machine = Probe("nvml", read, _NVML_SECONDS).answer()
    if machine is None or not machine.gpus:
        return None
    try:
        key = _find_key(command, environment, memory_limit_bytes, machine)
        return None if key is None else _prepare(folder, attempt, environment, key)
    except (OSError, UsageError):
        return None  # the training shall say itself what is wrong with its files


def _find_key(
    command: Command,
    environment: Mapping[str, str],
    memory_limit_bytes: int | None,
    machine: nvml.NvmlFacts,
) -> str | None:
    """The digest of the circumstances; None where the training sees no GPU, or has no such flags.

    Raises:
        OSError, UsageError: where script or interpreter cannot be read.
    """
    # Loaded only now: a machine without GPUs needs none of it.
    from fitguard.environment.machine import view_machine
    from fitguard.facts.interpreter import interview
    from fitguard.supervise.autotuned.circumstances import digest_circumstances

    gpus = view_machine(environment, lambda: machine).gpus
    if not gpus:
        return None
    there = interview(command.python, environment)
    if there.tensorflow is None or not are_known(there.tensorflow_libraries):
        return None
    return digest_circumstances(
        command, environment, memory_limit_bytes, there, machine.version, gpus
    )


def _prepare(
    folder: RunFolder, attempt: int, environment: Mapping[str, str], key: str
) -> Autotuned | None:
    """The files, and flags that name them.

    Raises:
        OSError: where they cannot be written.
    """
    make_folder(folder.autotuned, folder.path)
    of_run = RunResults(folder.autotuned.absolute(), key)
    kept = KeptResults.here(environment, key)
    given = of_run.find(before=attempt)
    if given is None and count_results(remembered := kept.find()):
        of_run.adopt(remembered)
        given = of_run.find(before=attempt)
    of_run.forget(but=given.path if given is not None else None)
    wanted = {} if given is None else {LOAD: given.path}
    if shutil.disk_usage(of_run.folder).free >= _ROOM_BYTES:
        wanted[DUMP] = of_run.prepare(attempt)
    flags = add_flags(environment.get(VARIABLE, ""), wanted)
    return None if not wanted or flags is None else Autotuned(flags, given, of_run, kept)
