"""`--what-if` and `--what-if-file`, as doctor and resolve take them."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fitguard.schema.exit_codes import UsageError

WhatIf = Annotated[
    tuple[str, ...] | None,
    Parameter(
        name="--what-if",
        negative="",
        consume_multiple=True,
        help="A combination instead of this machine: KEY=VALUE, one or more. Keys: tf, package, "
        "extras, keras, tf-keras, python, cuda, cudnn, driver, gpu, compute-capability, numpy, "
        "protobuf, os, library-path, cuda-toolkits.",
    ),
]
WhatIfFile = Annotated[
    Path | None, Parameter(name="--what-if-file", help="The same keys from a JSON file.")
]


def combination(what_if: tuple[str, ...] | None, file: Path | None) -> dict[str, str] | None:
    """The keys of both; the command line wins. None where nothing was given."""
    from fitguard.environment.supposition import parse_arguments, read_file

    if what_if == ():
        raise UsageError("Received --what-if without a value. Expected KEY=VALUE, say tf=2.10.1")
    if what_if is None and file is None:
        return None
    return {**(read_file(file) if file else {}), **parse_arguments(what_if or ())}
