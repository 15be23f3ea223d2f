"""What `fitguard run` does about a cause, in words: made out of the policy itself."""

from typing import Literal

from fitguard.knowledge import knowledge
from fitguard.knowledge.policy import PolicyRow, Remedy
from fitguard.schema.run import Action, Outcome

_PHRASES: dict[Action, str] = {
    "restart": "restart from the last snapshot",
    "recompute": "compute part of each step twice to save memory",
    "smaller-micro-batch": "split the batch into smaller micro-batches",
    "other-allocator": "use another GPU memory allocator",
    "wait-for-memory": "wait until other processes free the GPU's memory",
    "leave-out-gpu": "leave out the failing GPU",
    "jit-off": "turn off XLA",
    "mixed-precision": "switch to mixed precision",
    "planned-restart": "restart in a fresh process before memory runs out",
}
_REMARKS: dict[Action, str] = {
    "recompute": "For models that see the batch as a whole, or cannot be split.",
    "smaller-micro-batch": (
        "The optimizer still sees the whole batch. Where layers or losses look at the whole batch, "
        "as BatchNormalization does, this changes results: only with `--allow batch-statistics`."
    ),
}
_WHEN: dict[Outcome, str] = {
    "out-of-memory": "If the program itself reports that memory ran out",
    "exception": "If Python raised an error",
    "crashed": "If the process crashed (SIGSEGV, SIGABRT)",
    "killed": "If something outside killed the process",
    "hung": "If the process hung",
    "lost": "If the guarding process itself died and you resume the run",
    "planned": "If `fitguard run` sees it coming",
    "followed": "If other workers of its gang went away",
    "exited": "If the script ended itself with an exit code",
}

_FALLOUT = "If another worker failed first, and this one only reports it"
_ALWAYS = "If a training under `fitguard run` dies of this cause"
_FIRST = 2
"""So many tries stand in a sentence; the page of the cause has them all."""


def phrase_tries(cause: str, outcome: Outcome | Literal[""] = "", *, fallout: bool = False) -> str:
    """`split the batch into smaller micro-batches, then …`; empty where `run` only stops.

    What changes results is left out: it needs the user's word.
    """
    row = knowledge().policy.row(cause, outcome, fallout=fallout)
    tries = [item for item in row.tries if not item.changes_results]
    phrases = dict.fromkeys(_phrase(item) for item in tries)
    return ", then ".join(list(phrases)[:_FIRST])


def section_on_run(cause: str) -> str:
    """The section of a cause's page, in Markdown: what is tried, in which order, and the end."""
    policy = knowledge().policy
    blocks = ["## What fitguard run does", _row_words(policy.row(cause, ""), _ALWAYS)]
    if of_fallout := policy.row_of_fallout(cause):
        blocks.append(_row_words(of_fallout, _FALLOUT))
    for outcome in policy.outcomes(cause):
        row = policy.row(cause, outcome)
        if row.cause != cause:
            blocks.append(f"{_WHEN[outcome]}: the same as for *{row.cause}*.")
        else:
            blocks.append(_row_words(row, _WHEN[outcome]))
    return "\n\n".join(blocks)


def _row_words(row: PolicyRow, when: str) -> str:
    if not row.tries:
        return f"{when}, fitguard does not restart it. It stops and says: {row.stop}"
    steps = (f"{number}. {describe_remedy(remedy)}" for number, remedy in enumerate(row.tries, 1))
    head, listed = f"{when}, fitguard tries these remedies, in this order:", "\n".join(steps)
    return f"{head}\n\n{listed}\n\nThen it stops and says: {row.stop}"


def describe_remedy(remedy: Remedy) -> str:
    """`Split the batch into smaller micro-batches, up to 16 times. The optimizer …`."""
    phrase = _phrase(remedy)
    times = f", up to {remedy.times} times" if remedy.times > 1 else ""
    pause = f", after a pause of {remedy.wait_seconds:.0f} s" if remedy.wait_seconds else ""
    limits = [
        _REMARKS.get(remedy.action, ""),
        "Only if the training had made steps." if remedy.after_steps else "",
        "Only if a restart clears the fault." if remedy.cleared_by_restart else "",
        f"This changes results: only with `--allow {remedy.action}`."
        if remedy.changes_results
        else "",
    ]
    return " ".join([f"{phrase[0].upper()}{phrase[1:]}{times}{pause}.", *filter(None, limits)])


def _phrase(remedy: Remedy) -> str:
    variables = " and ".join(f"{name}={value}" for name, value in remedy.environment.items())
    return f"{_PHRASES[remedy.action]} (`{variables}`)" if variables else _PHRASES[remedy.action]
