"""What the commands that look at a training take alike: its script, its batch, the card."""

import sys
from collections.abc import Sequence
from typing import Annotated, Literal

from cyclopts import Parameter

from fitguard.cli.whole_numbers import WHOLE

Script = Annotated[
    str,
    Parameter(
        name="FILE.py[:FUNCTION]",
        help="The script that trains; it is run up to its calls of fit, without training. FUNCTION "
        "returns (model, x, y), (model, dataset), or the keyword arguments of fit with the model; "
        "for plan, a model is enough.",
    ),
]
Arguments = Annotated[
    str, Parameter(name="ARGUMENTS", help="Of the script itself, behind two hyphens.")
]
BatchSize = Annotated[
    int | None, WHOLE, Parameter(help="Of one step; default: as the script says, or 32.")
]
Policy = Literal["float32", "mixed_float16", "mixed_bfloat16", "float16", "bfloat16", "float64"]
PolicyName = Annotated[
    Policy | None, Parameter(help="The dtype policy that is set before the model is built.")
]
GpuName = Annotated[
    str | None, Parameter(help='The card by its name, if it is not here: "RTX 3060".')
]
GpuMemory = Annotated[
    str | None,
    Parameter(
        help="What the card has: 8GiB or 8G (powers of 1024), 8GB (powers of 1000), 8192MiB, or "
        "bytes."
    ),
]
FreeMemory = Annotated[
    str | None, Parameter(help="What is free of it before training starts: 6.5GiB.")
]

_LOOKING = {"check": "", "data": "", "plan": "", "probe": "--like "}
"""Commands that run a script, and what stands before it."""


def hint_at_script_options(arguments: Sequence[str]) -> str:
    """Where an option is unknown, it may be one of the script."""
    script = next(
        (word.removeprefix("--like=") for word in arguments[1:] if word.endswith(".py")), ""
    )
    if not script or arguments[0] not in _LOOKING:
        return ""
    return (
        "\nOptions of the script itself go behind two hyphens: fitguard "
        f"{arguments[0]} {_LOOKING[arguments[0]]}{script} -- --data images"
    )


def is_piped() -> bool:
    """A person at a terminal is not asked: what the script prints may not be seen."""
    return sys.stdin is not None and not sys.stdin.isatty()


def read_size(given: str | None, option: str) -> int | None:
    """Read here, so that a wrong one is told before TensorFlow is loaded."""
    from fitguard.memory.sizes import size_bytes

    return None if given is None else size_bytes(given, option)
