"""The child process of `fitguard plan --measure`: makes the step anew from the user's script.

python clean_start.py fitguard.cli.measured_step REQUEST.json
"""

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import replace

from fitguard.cli.fits import read_one_fit
from fitguard.memory.fit_call import select_plan_arguments
from fitguard.memory.measuring.child import answer
from fitguard.memory.measuring.request import Request, Script
from fitguard.memory.preparation import prepare
from fitguard.memory.training import Training


@contextlib.contextmanager
def _of_script(request: Request) -> Iterator[Training]:
    assert isinstance(request.step, Script)
    step = request.step
    call = read_one_fit("plan", step.reference, step.arguments, step.fit, step.policy)
    given = select_plan_arguments(call)
    with prepare(**given | step.options) as prepared:
        yield replace(prepared.training, jit_compile=request.jit_compile)


if __name__ == "__main__":
    answer(sys.argv[1], _of_script)
