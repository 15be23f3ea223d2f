"""The process that runs the user's script up to each `fit`, and looks at it.

python clean_start.py fitguard.readiness.child REQUEST.json

A crash of TensorFlow, or of the script, ends this process and not the one that asked.
"""

import os
import sys
from pathlib import Path
from typing import NoReturn

import msgspec

from fitguard.memory.fit_call import FitCall, names_function
from fitguard.memory.visible_gpus import hide_gpus
from fitguard.readiness.checking import check_fit
from fitguard.readiness.layers import find_kernels
from fitguard.readiness.request import COMMANDS, Answer, Request
from fitguard.readiness.visiting import look_at_fits
from fitguard.schema.exit_codes import UnreadableInput, UsageError


def answer(request: Request) -> None:
    """Do what a request asks for; each answer is written at once, as a later call may crash."""

    def write(one: Answer) -> None:
        with Path(request.answers).open("ab") as file:
            file.write(msgspec.json.encode(one) + b"\n")

    def look(call: FitCall) -> None:
        if request.task == "kernels":
            write(Answer(kernels=find_kernels(call)))
        else:
            write(Answer(fit=check_fit(call, request.options)))

    try:
        left = look_at_fits(
            request.reference,
            request.arguments,
            look,
            request.options.policy,
            command=COMMANDS[request.task],
        )
    except UnreadableInput as error:
        write(Answer(failure=str(error)))
    except UsageError as error:
        if names_function(request.reference):
            write(Answer(refusal=str(error)))
        else:
            write(Answer(unreached=str(error)))
    else:
        write(Answer(notes=left.notes, missed=left.missed))


def main(arguments: list[str]) -> NoReturn:
    """Answer, and leave without waiting for threads of the user's script."""
    hide_gpus(os.environ)  # looking needs no GPU, and takes none
    # TensorFlow would tell of an error: that it sees no GPU.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    answer(msgspec.json.decode(Path(arguments[0]).read_bytes(), type=Request))
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
