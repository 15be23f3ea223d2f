"""The law of the patches: where a hook is gone, renamed or takes something else, that is said."""

import contextlib
import importlib
from collections.abc import Callable, Iterator
from typing import Any

import keras
import pytest
import tensorflow  # noqa: F401
import tf_keras
from guarded.attempts import session_in

from fitguard.contract.hooks import NOT_OF_RUNS, OF_WORKERS, Hook, Role, Service
from fitguard.contract.libraries import Library, find_installed_library
from fitguard.contract.patching import patching
from fitguard.contract.verifying import (
    hooks_of,
    inspect_hook,
    library_named,
    place_of,
    require,
    tensorflow_here,
    verify,
)
from fitguard.keras.fitting.assurance import Assurance
from fitguard.schema.exit_codes import UsageError

KERAS, TF_KERAS = find_installed_library("keras"), find_installed_library("tf_keras")
HOOKS = [
    (library, hook)
    for library in (KERAS, TF_KERAS, Library("tensorflow"))
    for hook in hooks_of(library)
]


def _taking(*_: Any, **__: Any) -> Callable[..., Any]:
    def resigned(self: Any, something: Any, *, else_: Any) -> None: ...

    return resigned


@contextlib.contextmanager
def changed(hook: Hook, library: Library, how: str) -> Iterator[None]:
    """The library, with one hook gone, under another name, or with other parameters."""
    module = importlib.import_module(f"{library.package}.{hook.module}")
    place = place_of(hook, module)
    assert place is not None
    bases = getattr(place.owner, "__mro__", [place.owner])
    if place.name == "__init__":
        bases = bases[:1]
    holders = [cls for cls in bases if place.name in vars(cls)]
    before = {cls: vars(cls)[place.name] for cls in holders}
    try:
        for cls, original in before.items():
            if how == "re-signed":
                setattr(cls, place.name, _taking())
                continue
            with contextlib.suppress(AttributeError):
                delattr(cls, place.name)
            if how == "renamed":
                setattr(cls, f"{place.name}_anew", original)
        yield
    finally:
        for cls, original in before.items():
            setattr(cls, place.name, original)
            if how == "renamed":
                delattr(cls, f"{place.name}_anew")


def test_all_is_as_expected_here() -> None:
    assert verify(KERAS) == []
    assert verify(TF_KERAS) == []
    assert tf_keras.__version__ == TF_KERAS.version
    assert keras.__version__ == KERAS.version


@pytest.mark.parametrize("how", ["gone", "renamed", "re-signed"])
@pytest.mark.parametrize(
    ("library", "hook"), HOOKS, ids=lambda value: getattr(value, "name", str(value))
)
def test_no_change_of_a_hook_is_silent(
    library: Library, hook: Hook, how: str, tmp_path, capsys
) -> None:
    keras_here = library if library.package != "tensorflow" else KERAS
    with changed(hook, library, how):
        session = session_in(tmp_path, memory_limit_bytes=2**30)
        guarded = Assurance(session).guards(keras_here, workers=True)
        assert guarded is (hook.service is not Service.FIT)
        said = capsys.readouterr().err
        assert f"fitguard: {hook.service}, because" in said
        assert hook.name in said
        harmless = hook.service in (*NOT_OF_RUNS, *OF_WORKERS)
        assert ("fitguard was proven with Python 3.11" in said) is not harmless
        assert_left_alone(hook, library)


def test_what_only_several_workers_need_is_told_to_them_only(tmp_path, capsys) -> None:
    hook = next(hook for hook in hooks_of(KERAS) if hook.role is Role.REPLICAS_REDUCED)
    with changed(hook, KERAS, "gone"):
        assert Assurance(session_in(tmp_path, require_guard=True)).guards(KERAS)
    assert capsys.readouterr().err == ""


def test_what_only_a_limit_needs_is_told_where_there_is_one(tmp_path, capsys) -> None:
    library = Library("tensorflow")
    hook = next(hook for hook in hooks_of(library) if hook.role is Role.GPU_OPTIONS_MADE)
    with changed(hook, library, "gone"):
        assert Assurance(session_in(tmp_path, require_guard=True)).guards(KERAS)
    assert capsys.readouterr().err == ""


def assert_left_alone(hook: Hook, library: Library) -> None:
    """What is not as expected is not replaced."""
    module = importlib.import_module(f"{library.package}.{hook.module}")
    present = place_of(hook, module)
    with patching({hook.role: lambda original, _: lambda *a, **k: original(*a, **k)}):
        after = place_of(hook, module)
        assert (after and after.present) == (present and present.present)


def test_a_module_that_moved_is_named() -> None:
    hook = next(hook for hook in hooks_of(KERAS) if hook.role is Role.FIT)
    moved = Hook(hook.role, hook.package, "src.trainers.elsewhere", *_rest(hook))
    fault = inspect_hook(moved, KERAS)
    assert fault is not None
    assert f"{KERAS} has no module keras.src.trainers.elsewhere" in fault.sentence


def _rest(hook: Hook) -> tuple[str, str, Service]:
    return hook.name, hook.parameters, hook.service


def test_one_more_parameter_that_is_optional_is_told_and_guarded(tmp_path, capsys) -> None:
    owner = keras.Model.__mro__
    trainer = next(cls for cls in owner if cls.__name__ == "TensorFlowTrainer")
    original = trainer.fit

    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose="auto", callbacks=None, validation_split=0.0, validation_data=None, shuffle=True, class_weight=None, sample_weight=None, initial_epoch=0, steps_per_epoch=None, validation_steps=None, validation_batch_size=None, validation_freq=1, compiled_twice=False):  # fmt: skip  # noqa: E501, ARG001
        return original(self, x, y)

    trainer.fit = fit
    try:
        assert Assurance(session_in(tmp_path)).guards(KERAS)
    finally:
        trainer.fit = original
    assert "TensorFlowTrainer.fit of keras" in (said := capsys.readouterr().err)
    assert "also takes compiled_twice" in said


def test_require_guard_makes_it_an_error(tmp_path, capsys) -> None:
    hook = next(hook for hook in hooks_of(KERAS) if hook.role is Role.STEPS)
    assurance = Assurance(session_in(tmp_path, require_guard=True))
    with changed(hook, KERAS, "gone"), pytest.raises(SystemExit) as ended:
        assurance.guards(KERAS)
    assert ended.value.code == 4
    assert "this fit is not guarded" in capsys.readouterr().err
    assert "--require-guard was given" in str(ended.value)


def test_a_hook_that_is_not_called_is_told(tmp_path, capsys) -> None:
    assurance = Assurance(session_in(tmp_path))
    with patching({Role.STEPS: lambda one, _: one}) as patches:
        assurance.watch(patches)
        assurance.first_step_done(KERAS)
    said = capsys.readouterr().err
    assert "took its first step without calling EpochIterator._enumerate_iterator" in said


def test_tensorflow_is_a_library_too() -> None:
    assert library_named("tensorflow") == tensorflow_here()
    assert tensorflow_here().version.startswith("2.")


def test_another_backend_is_told(monkeypatch) -> None:
    monkeypatch.setattr(keras.config, "backend", lambda: "jax")
    (fault,) = verify(KERAS)
    why = f"{KERAS} computes with jax, and fitguard guards TensorFlow"
    assert fault.sentence == f"this fit is not guarded, because {why}"


def test_a_model_that_cannot_be_carried_is_refused() -> None:
    hook = next(hook for hook in hooks_of(KERAS) if hook.role is Role.LAMBDA_READ)
    require(KERAS, Role.LAMBDA_READ)
    with changed(hook, KERAS, "renamed"), pytest.raises(UsageError) as refused:
        require(KERAS, Role.LAMBDA_READ)
    assert "fitguard.fit cannot take a model to its training process" in str(refused.value)
