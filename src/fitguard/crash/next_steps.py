"""Each answer names the next step: the command of fitguard that goes on from the diagnosis."""

from collections.abc import Sequence

import msgspec

from fitguard.causes.derived.abrupt_end import find_end_signal
from fitguard.causes.derived.gpu_memory import gpu_memory
from fitguard.causes.derived.oom_remedies import shrinks_with_batch
from fitguard.causes.derived.own_fault import own_fault
from fitguard.causes.framework.policy_words import phrase_tries
from fitguard.crash.next_commands import (
    Training,
    data_command,
    plan_command,
    resolve_command,
    run_command,
)
from fitguard.schema.crash import Story
from fitguard.schema.diagnosis import CauseSlug, FoundCause
from fitguard.schema.finding import Fix

_TOO_LARGE: tuple[CauseSlug, ...] = ("gpu-oom", "gpu-fragmentation", "watchdog-timeout")
"""Causes for which the size of a step matters."""
_OF_DATA: tuple[CauseSlug, ...] = ("data-shape-dtype", "data-label-range", "numeric-nan")
"""Causes that a look at the data shows before training."""
_WRONG_VERSIONS: tuple[CauseSlug, ...] = (
    "driver-too-old",
    "cuda-missing",
    "cudnn-missing",
    "cudnn-mismatch",
    "tf-cpu-only",
    "gpu-arch-unsupported",
    "cpu-isa",
    "package-conflict",
    "windows-gpu-unsupported",
)
"""Causes that another set of versions cures."""


def name_next_steps(
    causes: Sequence[FoundCause], story: Story, training: Training
) -> tuple[FoundCause, ...]:
    """The same causes, whose fixes name the next command."""
    return tuple(
        msgspec.structs.replace(found, fix=_with_next_step(found, story, training))
        for found in causes
    )


def _with_next_step(found: FoundCause, story: Story, training: Training) -> Fix:
    fix = found.fix
    if found.cause in _WRONG_VERSIONS and story.facts.gpus != ():
        fix = _append(
            fix, "`fitguard resolve` finds versions that work together.", resolve_command(story)
        )
    if found.cause in _TOO_LARGE:
        fix = _append(fix, "`fitguard plan` shows what fits.", plan_command(story, training))
    if found.cause in _OF_DATA:
        text = "`fitguard data` compares data and model, and names each wrong value by its place."
        fix = _append(fix, text, data_command(story, training))
    tries = "" if training.guarded else _tries(found, story)
    if tries:
        fix = _with_run(found.cause, fix, tries, story, training)
    if story.traceback is not None and story.traceback.run:
        fix = _append(fix, "", f"fitguard explain {story.traceback.run}")
    return fix


def _tries(found: FoundCause, story: Story) -> str:
    """What `fitguard run` would try; of an unknown cause, where a signal ended the process."""
    if found.cause != "unknown":
        return phrase_tries(found.cause, fallout=found.fallout)
    ended = find_end_signal(story)[0]
    if ended is None or own_fault(story):
        return ""
    return phrase_tries(found.cause, "killed" if ended in ("SIGKILL", "SIGTERM") else "crashed")


def _with_run(cause: CauseSlug, fix: Fix, tries: str, story: Story, training: Training) -> Fix:
    command = run_command(story.facts, training)
    if cause != "gpu-oom":
        return _append(fix, f"`fitguard run` keeps it going: it will {tries}.", command)
    if not shrinks_with_batch(gpu_memory(story)):
        return fix  # smaller parts of the batch would not help
    text = f"Put `fitguard run` in front of your command: it will {tries}. {fix.text}"
    return msgspec.structs.replace(fix, text=text, commands=(command, *fix.commands))


def _append(fix: Fix, text: str, command: str | None) -> Fix:
    """With a sentence and a command more, behind those that are there."""
    commands = (*fix.commands, *((command,) if command else ()))
    return msgspec.structs.replace(fix, text=f"{fix.text} {text}".strip(), commands=commands)
