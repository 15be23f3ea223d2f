"""What `fitguard plan` is told by a script: the model, and the arguments of its `fit`."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from fitguard.cli.console import complain
from fitguard.schema.exit_codes import UnreadableInput

Policy = Literal["float32", "mixed_float16", "mixed_bfloat16", "float16", "bfloat16", "float64"]

PLANNED = ("model", "batch_size", "x", "y", "sample_weight", "class_weight", "jit_compile")
"""The arguments of `fit`, and of `compile`, that change what a step needs."""
WRONG_ARGUMENTS = 2
"""What `argparse` exits with."""


def script_arguments(
    script: str, policy: str | None, arguments: Sequence[str] = ()
) -> dict[str, Any]:
    """What the script gives to `fit`, as far as it matters for a step, and its `jit_compile`.

    Args:
        arguments: What the script finds behind its name in `sys.argv`.
    """
    from fitguard.cli.progress import waiting
    from fitguard.memory.policy import require_policy, set_policy

    def prepare() -> None:
        if policy is not None:
            set_policy(policy)

    with waiting("Loading the model"):
        given = _read(script, prepare, arguments)
        if policy is not None:
            require_policy(given["model"], policy, script)
    return {name: given[name] for name in PLANNED if name in given}


def _read(script: str, prepare: Callable[[], None], arguments: Sequence[str]) -> dict[str, Any]:
    read = _of_script if _is_file(script) else _of_function
    try:
        return read(script, prepare, arguments)
    except UnreadableInput as error:
        left = error.__cause__
        if isinstance(left, SystemExit) and left.code == WRONG_ARGUMENTS:
            raise UnreadableInput(
                f"{error}\nThe script's own arguments go behind two hyphens: "
                "fitguard plan train.py -- --data images"
            ) from error
        raise


def _is_file(script: str) -> bool:
    """Whether no function is named."""
    return script.endswith(".py")


def _of_script(
    script: str, prepare: Callable[[], None], arguments: Sequence[str]
) -> dict[str, Any]:
    from fitguard.cli.user_function import existing_script
    from fitguard.memory.fit_call import find_fit_call

    file = existing_script(script)
    prepare()
    found = find_fit_call(file, arguments)
    for note in found.notes:
        complain(note)
    return {**found.arguments, "model": found.model, "jit_compile": found.jit_compile}


def _of_function(
    script: str, prepare: Callable[[], None], arguments: Sequence[str]
) -> dict[str, Any]:
    from fitguard.cli.user_function import call, fit_arguments
    from fitguard.contract.patching import patched
    from fitguard.memory.fit_call.compiles import Compiles

    compiles = Compiles()
    with patched(compiles.wraps()):
        result = call(script, prepare, arguments)
    given = fit_arguments(result, script, model_alone=True)
    return {**given, "jit_compile": compiles.jit_compile(given["model"])}
