"""Keras models: their config as Keras writes it, all their state as a snapshot would have it."""

from typing import TYPE_CHECKING, Any

from fitguard.contract.compiling import is_compiled
from fitguard.contract.held_variables import is_counted
from fitguard.contract.libraries import is_a, library_of, package_of
from fitguard.keras.state.model_state import ModelState
from fitguard.notebook.parcel.building import batch_of, build_like
from fitguard.notebook.parcel.initial_seeds import seeds_of, set_seeds
from fitguard.notebook.parcel.keras_config import config_of, make_from_config
from fitguard.notebook.parcel.keras_objects import parts_of
from fitguard.state.not_carried import NotCarried

if TYPE_CHECKING:
    from fitguard.notebook.parcel.packing import Packer
    from fitguard.notebook.parcel.unpacking import Unpacker

FACTORY = (
    "Give it a get_config() that returns the arguments of its __init__, or pass a function that "
    "builds and compiles the model in its place:\n"
    "    def build_model():\n"
    "        model = MyModel()\n"
    "        model.compile(optimizer='adam', loss='mse')\n"
    "        return model\n"
    "    history = fitguard.fit(build_model, x, y)\n"
    "    model = history.model"
)
_COMPILE = (
    "Give the class get_compile_config() and compile_from_config(config), or pass a function that "
    "builds and compiles the model: history = fitguard.fit(build_model, x, y)."
)


def pack_model(value: Any, packing: "Packer") -> Any:
    """The config of a model, and all its state; None for what is none."""
    library = library_of(value) if is_a(value, "Model") else None
    if library is None:
        return None
    _require_compile_config(value, library.package)
    config = config_of(value, library, FACTORY)
    packing.parts.update((id(part), (value, *place)) for part, place in parts_of(value))
    return config, model_state(value, packing)


def make_model(packed: Any, unpacking: "Unpacker") -> Any:
    """The model again, compiled, with its state."""
    config, state = packed
    model = make_from_config(config)
    set_seeds(model, state["seeds"])
    fill_model(model, state, unpacking)
    return model


def model_state(model: Any, packing: "Packer") -> dict[str, Any]:
    """All that a model holds beside its config."""
    state = ModelState(model)
    arrays = state.read()
    if not packing.goes_back:
        # Training begins with new ones, but Keras 2 does not reset those that are not built yet.
        arrays = {name: array for name, array in arrays.items() if not is_counted(name)}
    history = vars(model).get("history")
    return {
        "arrays": arrays,
        "extra": state.extra(),
        "seeds": seeds_of(model),
        "batch": batch_of(model),
        # What was trained before is of no use to the training process.
        "history": history if packing.goes_back and is_a(history, "History") else None,
    }


def fill_model(model: Any, content: dict[str, Any], unpacking: "Unpacker") -> None:
    """Give a model its state; variables that training has made since are made here, too.

    Where some cannot be made without the data, their values wait in `late_states`.
    """
    library, arrays = library_of(model), content["arrays"]
    state = ModelState(model)
    if state.missing(arrays) and content["batch"] is not None and library is not None:
        build_like(model, library, content["batch"])
    state.write(arrays)
    state.write_extra(content["extra"])
    if state.missing(arrays):
        unpacking.late_states[id(model)] = arrays
    if content["history"] is not None:
        model.history = content["history"]


def _require_compile_config(model: Any, package: str) -> None:
    """Keras does not compile a model of a class that has its own `compile`, and only warns."""
    cls: Any = type(model)
    base: Any = next(base for base in cls.__mro__ if package_of(base) == package)
    own = cls.compile is not base.compile
    if own and cls.compile_from_config is base.compile_from_config and is_compiled(model):
        raise NotCarried(f"{cls.__name__} has a compile() of its own", _COMPILE)
