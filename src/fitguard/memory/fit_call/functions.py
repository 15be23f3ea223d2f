"""Loads a function from the user's script, calls it, and reads what it returns."""

import importlib.util
import inspect
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fitguard.memory.user_script import call_user_function, script_surroundings
from fitguard.schema.exit_codes import UnreadableInput, UsageError

EXPECTED = "(model, x, y), (model, dataset), or a dict with `model` and the arguments of fit"
TAKEN = (
    *("model", "x", "y", "sample_weight", "class_weight", "batch_size", "epochs"),
    *("steps_per_epoch", "shuffle", "validation_data", "validation_split"),
    *("validation_batch_size", "validation_steps"),
)
BESIDE_DATA = {
    *("callbacks", "verbose", "initial_epoch", "validation_freq"),
    *("max_queue_size", "workers", "use_multiprocessing"),
}
"""Arguments of `fit` that say nothing on data; the last three are of Keras 2."""

_SHOWN = 3


def call(
    reference: str,
    prepare: Callable[[], None] | None = None,
    arguments: Sequence[str] = (),
) -> Any:
    """What `FILE.py:FUNCTION` returns. What it prints goes to stderr.

    Args:
        prepare: Called when the file is loaded, before the function is.
        arguments: What the script finds behind its name in `sys.argv`.

    Raises:
        UsageError: where the reference names no function without required arguments.
        UnreadableInput: where the file is missing, or its code raises.
    """
    file, function_name = parse_reference(reference)
    with script_surroundings(file, arguments):
        module = _load_module(file)
        function = getattr(module, function_name, None)
        if not callable(function):
            raise UsageError(
                f"Received {reference}, but {file.name} has no function {function_name}. Expected "
                f"one of: {', '.join(_functions(module)) or 'a function in the file'}"
            )
        _require_plain(function, function_name)
        if prepare is not None:
            prepare()
        return call_user_function(function, f"{file.name}:{function_name}", file)


def fit_arguments(result: Any, reference: str, *, model_alone: bool = False) -> dict[str, Any]:
    """The model and the arguments of `fit`, out of what the function returned.

    Args:
        model_alone: Whether a model without data is enough.

    Raises:
        UsageError: for anything else than the forms in `EXPECTED`.
    """
    expected = f"a model, {EXPECTED}" if model_alone else EXPECTED
    if model_alone and hasattr(result, "train_step"):
        return {"model": result}
    if isinstance(result, dict):
        if "model" not in result:
            raise UsageError(
                f"Received from {reference} a dict without `model`: {', '.join(map(str, result))}. "
                f"Expected {expected}"
            )
        unknown = [str(key) for key in result if key not in (*TAKEN, *BESIDE_DATA)]
        if unknown:
            raise UsageError(
                f"Received from {reference} a dict with {', '.join(unknown)}. Expected only "
                f"{', '.join(TAKEN)}"
            )
        _require_model(result["model"], f"a dict from {reference}", expected)
        return dict(result)
    if isinstance(result, tuple) and 2 <= len(result) <= 4:
        kinds = ", ".join(type(one).__name__ for one in result)
        _require_model(result[0], f"({kinds}) from {reference}", expected)
        return dict(zip(("model", "x", "y", "sample_weight"), result, strict=False))
    received = f"{len(result)} values" if isinstance(result, tuple) else type(result).__name__
    raise UsageError(f"Received {received} from {reference}. Expected {expected}")


def _require_model(given: Any, received: str, expected: str) -> None:
    """A function that does one step of training is as good as a model."""
    if not hasattr(given, "train_step") and not callable(given):
        raise UsageError(f"Received {received}, without a model. Expected {expected}")


def names_function(reference: str) -> bool:
    """Whether it is FILE.py:FUNCTION, and not FILE.py."""
    return not reference.endswith(".py")


def parse_reference(reference: str) -> tuple[Path, str]:
    """The file, and the name of the function; empty where none is named.

    Raises:
        UsageError: where it is no reference.
        UnreadableInput: where there is no such file.
    """
    if not names_function(reference):
        return existing_script(reference), ""
    file, separator, function = reference.rpartition(":")
    if not separator or not file or not function.isidentifier():
        raise UsageError(_explain_reference(reference))
    return existing_script(file), function


def _explain_reference(given: str) -> str:
    """Why it is none, and what to give instead."""
    path = Path(given)
    expected = "the script that trains, say train.py; or FILE.py:FUNCTION, say train.py:make"
    if given and path.is_dir():
        scripts = [str(one) for one in sorted(path.glob("*.py"))[:_SHOWN]]
        return f"Received {given}, which is a folder. Expected {' or '.join(scripts) or expected}"
    if path.suffix == ".ipynb":
        return (
            f"Received {given}, which is a notebook. Expected {expected}. In the notebook itself, "
            "call fitguard.check(model, x, y)"
        )
    if path.name.startswith("python"):
        return f"Received {given} in front of the script. Expected {expected}"
    if path.with_suffix(".py").is_file() and not path.suffix:
        return f"Received {given}. Expected {given}.py, or {given}.py:FUNCTION"
    if path.is_file():
        return (
            f"Received {given}, whose name does not end in .py. Expected {expected}. `fitguard "
            "explain` reads logs"
        )
    return f"Received {given!r}. Expected {expected}"


def existing_script(name: str) -> Path:
    """The file of a script.

    Raises:
        UnreadableInput: where there is none.
    """
    if not Path(name).is_file():
        raise UnreadableInput(f"Received {name}, which is no file. Expected a Python script")
    return Path(name)


def _load_module(file: Path) -> Any:
    name = file.stem if file.stem.isidentifier() else "user_script"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise UnreadableInput(f"Received {file}. Expected a Python script that ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader = spec.loader
    call_user_function(lambda: loader.exec_module(module), file.name, file)
    return module


def _functions(module: Any) -> list[str]:
    return [
        name
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__
    ]


def _require_plain(function: Callable[..., Any], name: str) -> None:
    if inspect.iscoroutinefunction(function):
        raise UsageError(
            f"Received {name}, which is async. Expected a plain function: def {name}()"
        )
    required = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    if required:
        raise UsageError(
            f"Received {name}, which needs the arguments {', '.join(required)}. Expected a "
            "function that can be called without any"
        )
