"""`--python PATH`: the command goes on in the interpreter that trains."""

import os
import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

from cyclopts import Parameter

from fitguard.clean_start import words_to_run

Python = Annotated[
    str | None,
    Parameter(
        help="The Python that trains, if fitguard is installed apart from TensorFlow. fitguard "
        "must be installed there too."
    ),
]


def enter_training_python(command: str, python: str | None) -> None:
    """Go on in the interpreter that trains; nothing happens if this is the one.

    Raises:
        UsageError: where fitguard or TensorFlow is not there.
    """
    from fitguard.supervise.interpreters import require_tensorflow_here

    if python is None:
        require_tensorflow_here(command, os.environ)
    else:
        _go_on_in(python)


def _go_on_in(name: str) -> NoReturn:
    from fitguard.supervise.interpreters import find_python, require_fitguard

    python = find_python(name)
    require_fitguard(python)
    sys.stdout.flush()
    os.execv(python, [python, *words_to_run("fitguard"), *_without_python(sys.argv[1:])])


def _without_python(arguments: Sequence[str]) -> list[str]:
    """The words that the user typed, but for `--python`; those of the script stay."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    own, rest = list(arguments[:end]), arguments[end:]
    if "--python" in own:
        place = own.index("--python")
        del own[place : place + 2]
    return [*(word for word in own if not word.startswith("--python=")), *rest]
