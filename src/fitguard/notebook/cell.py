"""Runs one cell for `%%guard`, in a process of its own.

python clean_start.py fitguard.keras.bootstrap RUN_FOLDER -m fitguard.notebook.cell REQUEST_FOLDER
"""

import ast
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fitguard.contract.libraries import is_a
from fitguard.keras.state.randomness import write_random
from fitguard.notebook.carried_globals import find_carried_names
from fitguard.notebook.child import begin_visit, running_user_code
from fitguard.notebook.parcel.originals import is_frame
from fitguard.notebook.starting import GLOBAL

USED = "used "
"""Before names that the cell used but did not assign: what they hold may have changed."""
CELL = "%cell"
"""In the request, beside the names of the user's: the source, and which names come back."""


def run(folder: Path) -> None:
    """Run the cell among the names that came with it, and send back what it left."""
    visit = begin_visit(folder)
    names = visit.content()
    cell = names.pop(CELL)
    carried = find_carried_names()
    main = sys.modules["__main__"]
    vars(main).update(names)
    write_random(visit.surroundings["random"])

    def answer_models() -> None:
        # The cell will run again from its top: only what it trains may be further than that.
        present = _present([*names, *cell["back"]])
        visit.answer({name: value for name, value in present.items() if is_a(value, "Model")})

    with running_user_code(visit, lambda: carried, answer_models):
        _execute(cell["source"], folder / "cell.py", vars(main))
    back = _present(cell["back"])
    used = [name for name in names if name not in back]
    carried = [name for name in carried if name not in back]
    visit.answer(
        {
            **back,
            **{f"{USED}{name}": value for name, value in _present(used).items()},
            **{f"{GLOBAL}{name}": value for name, value in _present(carried).items()},
        },
        # A table that the cell may have changed is sent whole.
        new=[value for value in back.values() if is_frame(value)],
    )


def _present(names: Iterable[str]) -> dict[str, Any]:
    main = vars(sys.modules["__main__"])
    return {name: main[name] for name in names if name in main}


def _execute(source: str, file: Path, names: dict[str, Any]) -> None:
    """As a notebook does: the value of the last expression is shown."""
    # TensorFlow reads the source of what it compiles, and tracebacks quote it.
    file.write_text(source)
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(file), "exec"), names)
    if isinstance(last, ast.Expr):
        shown = eval(compile(ast.Expression(last.value), str(file), "eval"), names)
        if shown is not None:
            sys.stdout.write(f"{shown!r}\n")


if __name__ == "__main__":
    run(Path(sys.argv[1]))
