"""What `fitguard plan` is told by a script: the model, and the arguments of its `fit`."""

from collections.abc import Callable
from typing import Any, Literal

from fitguard.cli.console import complain

Policy = Literal["float32", "mixed_float16", "mixed_bfloat16", "float16", "bfloat16", "float64"]

PLANNED = ("model", "batch_size", "x", "y", "sample_weight", "jit_compile")
"""The arguments of `fit`, and of `compile`, that change what a step needs."""


def script_arguments(script: str, policy: str | None) -> dict[str, Any]:
    """What the script gives to `fit`, as far as it matters for a step, and its `jit_compile`."""
    from fitguard.cli.progress import waiting
    from fitguard.memory.policy import require_policy, set_policy

    def prepare() -> None:
        if policy is not None:
            set_policy(policy)

    with waiting("Loading the model"):
        given = _of_script(script, prepare) if _is_file(script) else _of_function(script, prepare)
        if policy is not None:
            require_policy(given["model"], policy, script)
    return {name: given[name] for name in PLANNED if name in given}


def _is_file(script: str) -> bool:
    """Whether no function is named."""
    return script.endswith(".py")


def _of_script(script: str, prepare: Callable[[], None]) -> dict[str, Any]:
    from fitguard.cli.user_function import existing_script
    from fitguard.memory.fit_call import find_fit_call

    file = existing_script(script)
    prepare()
    found = find_fit_call(file)
    for note in found.notes:
        complain(note)
    return {**found.arguments, "model": found.model, "jit_compile": found.jit_compile}


def _of_function(script: str, prepare: Callable[[], None]) -> dict[str, Any]:
    from fitguard.cli.user_function import call, fit_arguments
    from fitguard.memory.fit_call.compiles import Compiles
    from fitguard.memory.fit_call.patching import patched

    compiles = Compiles()
    with patched(compiles.methods()):
        result = call(script, prepare)
    given = fit_arguments(result, script, model_alone=True)
    return {**given, "jit_compile": compiles.jit_compile(given["model"])}
