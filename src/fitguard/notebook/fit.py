"""Trains one model for `fitguard.fit`, in a process of its own.

python clean_start.py fitguard.keras.bootstrap RUN_FOLDER -m fitguard.notebook.fit REQUEST_FOLDER
"""

import sys
from pathlib import Path
from typing import Any

from fitguard.keras.state.randomness import write_random
from fitguard.notebook.carried_globals import find_carried_names
from fitguard.notebook.child import begin_visit, running_user_code
from fitguard.notebook.request import Visit
from fitguard.notebook.starting import GLOBAL

THE_MODEL = "the model"
"""Number of the model that a function of the user's built, on both sides."""


def train(folder: Path) -> None:
    """Do what the request says, and leave the end state for the kernel."""
    visit = begin_visit(folder)
    arguments = visit.content()
    model, build = arguments.pop("model"), arguments.pop("build")
    callbacks = arguments.get("callbacks")
    # After the model was made from its config, which draws; before what the user would call.
    write_random(visit.surroundings["random"])
    if build is not None:
        model = build()
    for name in arguments.pop("factories"):
        arguments.update(_data(name, arguments[name](), arguments))

    def answer(history: Any = None) -> None:
        numbers = {id(model): THE_MODEL} if build is not None else {}
        _answer(visit, {"model": model, "history": history, "callbacks": callbacks}, numbers)

    with running_user_code(visit, find_carried_names, answer):
        history = model.fit(**arguments)
    answer(history)


def _data(name: str, made: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """What a factory gave, as arguments of `fit`."""
    if name == "x" and isinstance(made, tuple) and arguments.get("y") is None:
        return dict(zip(("x", "y", "sample_weight"), made, strict=False))
    return {name: made}


def _answer(visit: Visit, content: dict[str, Any], numbers: dict[int, str]) -> None:
    names = vars(sys.modules["__main__"])
    carried = {f"{GLOBAL}{name}": names[name] for name in find_carried_names()}
    visit.answer({**content, **carried}, numbers=numbers)


if __name__ == "__main__":
    train(Path(sys.argv[1]))
