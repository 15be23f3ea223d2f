"""Trains one model for `fitguard.fit`, in a process of its own.

python -m fitguard.keras.bootstrap RUN_FOLDER -m fitguard.notebook.fit REQUEST_FOLDER
"""

import sys
from pathlib import Path
from typing import Any

from fitguard.keras.state.randomness import write_random
from fitguard.notebook.child import arrived
from fitguard.notebook.parcel.building import remembering_batches
from fitguard.notebook.prepared_fits import prepared_fits
from fitguard.notebook.request import Visit
from fitguard.notebook.starting import GLOBAL

THE_MODEL = -1
"""Number of the model that a function of the user's built, on both sides."""


def train(folder: Path) -> None:
    """Do what the request says, and leave the end state for the kernel."""
    visit = arrived(folder)
    call = visit.content()
    model = call["model"]
    # After the model was made from its config, which draws; before what the user would call.
    write_random(visit.surroundings["random"])
    if call["build"] is not None:
        model = call["build"]()
    arguments = dict(call["arguments"])
    for name in call["factories"]:
        arguments.update(_data(name, arguments[name](), arguments))
    with remembering_batches(), prepared_fits(visit.late_states, visit.surroundings["globals"]):
        history = model.fit(**arguments)
    _answer(visit, call, model, history)


def _data(name: str, made: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """What a factory gave, as arguments of `fit`."""
    if name == "x" and isinstance(made, tuple) and arguments.get("y") is None:
        return dict(zip(("x", "y", "sample_weight"), made, strict=False))
    return {name: made}


def _answer(visit: Visit, call: dict[str, Any], model: Any, history: Any) -> None:
    names = vars(sys.modules["__main__"])
    carried = {name: names[name] for name in visit.surroundings["globals"] if name in names}
    numbers = {id(model): THE_MODEL} if call["build"] is not None else {}
    visit.answer(
        {
            "model": model,
            "history": history,
            "callbacks": call["arguments"].get("callbacks"),
            **{f"{GLOBAL}{name}": value for name, value in carried.items()},
        },
        numbers=numbers,
    )


if __name__ == "__main__":
    train(Path(sys.argv[1]))
