"""`%load_ext fitguard`, and `%%guard` for a whole cell."""

import argparse
import hashlib
import shlex
import sys
from pathlib import Path
from typing import Any

from fitguard.keras.state.randomness import write_random
from fitguard.memory.sizes import size_bytes
from fitguard.monitor.run_folder import RUNS
from fitguard.notebook.cell import CELL, USED
from fitguard.notebook.cell_names import CellNames, cell_names
from fitguard.notebook.died import build_death_error
from fitguard.notebook.kernel_gpu import leave_gpu_memory, warn_about_gpu
from fitguard.notebook.request import Request
from fitguard.notebook.starting import (
    GLOBAL,
    leave_open,
    new_request,
    notebook_command,
    run_options,
    take_globals,
)
from fitguard.notebook.supervised import Interrupted, supervise_training
from fitguard.schema.exit_codes import UsageError
from fitguard.supervise.options import RunOptions

_SHOWN = 40


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext fitguard` does.

    The kernel's TensorFlow is told to take only the GPU memory that it needs, where it has not
    begun yet: the training needs the rest.

    Example:
        >>> %load_ext fitguard

        >>> %%guard --snapshot-seconds 60
        >>> model.fit(x, y, epochs=50)
        >>> score = model.evaluate(x_test, y_test)
    """
    leave_gpu_memory()

    def guard(line: str, cell: str) -> None:
        """Run the cell in a process of its own that survives crashes; its names come back.

        %%guard [--runs-folder FOLDER] [--name NAME] [--resume ID|auto] [--exact-only]
                [--allow WORD] [--micro-batch ROWS] [--snapshot-seconds SECONDS] [--disk SIZE]
                [--max-attempts COUNT] [--hang-seconds SECONDS]
        """
        run_cell(line, shell.transform_cell(cell), shell.user_ns)

    shell.register_magic_function(guard, "cell", "guard")


def run_cell(line: str, source: str, names: dict[str, Any]) -> None:
    """Run a cell in a guarded process; what it assigns comes back.

    Args:
        line: Options, as on a command line.
        source: The cell, as plain Python.
        names: Those of the notebook.

    Raises:
        UsageError: for options that there are not, and for names that cannot go over.
        TrainingDied: where the cell failed and another attempt would not help.
        KeyboardInterrupt: where it was interrupted; `--resume` goes on with it.
    """
    options = _options(line)
    cell = cell_names(source)
    warn_about_gpu()
    request = new_request(options)
    try:
        _send(request, source, cell, names)
        command = notebook_command("cell", _format_cell(source), request.folder, options)
        result = supervise_training(command, options, "%%guard --resume {id}")
        if result.exit_code != 0:
            raise build_death_error(result)
        _take_over(request, names)
    except Interrupted as interrupted:
        leave_open(request, interrupted.run)
        if request.has_answer:
            names.update(request.answer().content())
        raise KeyboardInterrupt from None
    finally:
        request.remove()


def _format_cell(source: str) -> str:
    """What the list of runs shows for a cell: its beginning, and a mark that is its own."""
    first = next((line.strip() for line in source.splitlines() if line.strip()), "")
    return f"%%guard {first[:_SHOWN]} [{hashlib.sha256(source.encode()).hexdigest()[:6]}]"


def _send(request: Request, source: str, cell: CellNames, names: dict[str, Any]) -> None:
    known = {name: names[name] for name in cell.used if name in names}
    back = [*cell.assigned, *cell.changed]
    # What the cell makes anew need not come from here.
    request.send({**known, CELL: {"source": source, "back": back}}, optional=cell.assigned)


def _take_over(request: Request, names: dict[str, Any]) -> None:
    visit = request.answer()
    content = visit.content()
    take_globals(content)
    names.update(
        (name, value) for name, value in content.items() if not name.startswith((USED, GLOBAL))
    )
    write_random(visit.surroundings["random"])
    left = [name for name in visit.surroundings["left"] if not name.startswith((USED, GLOBAL))]
    if left:
        sys.stderr.write(f"fitguard: stays in the training process: {', '.join(left)}.\n")


def _options(line: str) -> RunOptions:
    parser = _Parser(prog="%%guard", add_help=False, allow_abbrev=False)
    parser.add_argument("--runs-folder", type=Path, default=Path(RUNS))
    parser.add_argument("--name")
    parser.add_argument("--resume")
    parser.add_argument("--exact-only", action="store_true")
    parser.add_argument("--allow", action="append", default=[])
    parser.add_argument("--micro-batch", type=int)
    parser.add_argument("--snapshot-seconds", type=float)
    parser.add_argument("--disk")
    parser.add_argument("--memory-limit")
    parser.add_argument("--max-attempts", type=int, default=20)
    parser.add_argument("--hang-seconds", type=float)
    found = vars(parser.parse_args(shlex.split(line)))
    for option in ("disk", "memory_limit"):
        given, name = found.pop(option), f"--{option.replace('_', '-')}"
        found[f"{option}_bytes"] = None if given is None else size_bytes(given, name)
    return run_options(**{**found, "allow": tuple(found["allow"])})


class _Parser(argparse.ArgumentParser):
    """Raises instead of leaving the process."""

    def error(self, message: str) -> Any:
        raise UsageError(f"Received %%guard with wrong options: {message}. {self.format_usage()}")
