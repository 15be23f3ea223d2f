"""Keras models: their config as Keras writes it, all their state as a snapshot has it."""

from typing import Any

from fitguard.contract.compiling import is_compiled
from fitguard.contract.held_variables import is_counted
from fitguard.contract.libraries import Library, installed_library, is_a, library_of, package_of
from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.file import read_snapshot, write_snapshot
from fitguard.keras.state.variables import ModelState
from fitguard.notebook.parcel.building import batch_of, build_like
from fitguard.notebook.parcel.errors import cannot_carry
from fitguard.notebook.parcel.initial_seeds import seeds_of, set_seeds
from fitguard.notebook.parcel.keras_config import config_of, made_from_config
from fitguard.notebook.parcel.nodes import History, Model
from fitguard.notebook.parcel.sides import NotMine, Packed, Packing, Unpacking

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


def pack_model(value: Any, packing: Packing, where: str) -> Packed:
    """A model with all its state, or NotMine."""
    library = library_of(value) if is_a(value, "Model") else None
    if library is None:
        return NotMine
    fields: dict[str, Any] = {}
    if not packing.has(value):
        _require_compile_config(value, library.package, where)
        fields = config_of(value, library, where, FACTORY).nodes(packing, where)
    return Model(
        library=library.package,
        state=_written_state(value, packing),
        seeds=seeds_of(value),
        batch=packing.node(batch_of(value), where),
        history=packing.node(value.history, where) if _has_history(value, packing) else None,
        **fields,
    )


def _has_history(model: Any, packing: Packing) -> bool:
    """What was trained before is of no use to the training process."""
    return packing.lenient and is_a(vars(model).get("history"), "History")


def make_model(node: Model, unpacking: Unpacking) -> Any:
    """The model again, compiled; `fill_model` gives it its state."""
    model = made_from_config(node, unpacking)
    set_seeds(model, node.seeds)
    return model


def fill_model(model: Any, node: Model, unpacking: Unpacking) -> None:
    """Give a model the state; variables that training has made since are made here, too.

    Where some cannot be made without the data, their values wait in `late_states`.
    """
    content = read_snapshot(unpacking.path(node.state))
    state = ModelState(model)
    if state.missing(content.arrays) and node.batch is not None:
        build_like(model, installed_library(node.library), unpacking.value(node.batch))
    state.write(content.arrays)
    state.write_extra(content.document)
    if state.missing(content.arrays):
        unpacking.late_states[id(model)] = content.arrays
    if node.history is not None:
        model.history = unpacking.value(node.history)


def pack_history(value: Any, packing: Packing, where: str) -> Packed:
    """What `fit` returned, or NotMine."""
    library = library_of(value) if is_a(value, "History") else None
    if library is None:
        return NotMine
    attributes = {
        name: packing.node(getattr(value, name, None), f"{where}.{name}")
        for name in ("history", "epoch", "params")
    }
    return History(library.package, attributes, packing.node(value.model, f"{where}.model"))


def make_history(node: History, _: Unpacking) -> Any:
    """An empty one."""
    return Library(node.library).module("callbacks").History()


def fill_history(history: Any, node: History, unpacking: Unpacking) -> None:
    """Let it hold what the node says."""
    for name, attribute in node.attributes.items():
        setattr(history, name, unpacking.value(attribute))
    history.set_model(unpacking.value(node.model))


def _written_state(model: Any, packing: Packing) -> str:
    state = ModelState(model)
    arrays = state.read()
    if not packing.lenient:
        # Training begins with new ones, but Keras 2 does not reset those that are not built yet.
        arrays = {name: array for name, array in arrays.items() if not is_counted(name)}
    content = Content(document=state.extra(), arrays=arrays)
    path = packing.file(".state", content.array_bytes)
    write_snapshot(path, content)
    return str(path)


def _require_compile_config(model: Any, package: str, where: str) -> None:
    """Keras does not compile a model of a class that has its own `compile`, and only warns."""
    cls: Any = type(model)
    base: Any = next(base for base in cls.__mro__ if package_of(base) == package)
    own = cls.compile is not base.compile
    if own and cls.compile_from_config is base.compile_from_config and is_compiled(model):
        raise cannot_carry(model, where, f"{cls.__name__} has a compile() of its own", _COMPILE)
