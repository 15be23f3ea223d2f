"""Loads a function from the user's script, calls it, and reads what it returns."""

import contextlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fitguard.schema.exit_codes import UnreadableInput, UsageError

EXPECTED = "(model, x, y), (model, dataset), or a dict with `model` and the arguments of fit"
TAKEN = (
    *("model", "x", "y", "sample_weight", "class_weight", "batch_size", "epochs"),
    *("steps_per_epoch", "shuffle", "validation_data", "validation_split"),
    *("validation_batch_size", "validation_steps"),
)
IGNORED = {
    *("callbacks", "verbose", "initial_epoch", "validation_freq"),
    *("max_queue_size", "workers", "use_multiprocessing"),
}
"""Arguments of `fit` that say nothing on data; the last three are of Keras 2."""


def call(reference: str) -> Any:
    """What `FILE.py:FUNCTION` returns. What it prints goes to stderr.

    Raises:
        UsageError: where the reference names no function without required arguments.
        UnreadableInput: where the file is missing, or its code raises.
    """
    file, function_name = _parted(reference)
    with _script_surroundings(file):
        module = _loaded(file)
        function = getattr(module, function_name, None)
        if not callable(function):
            raise UsageError(
                f"Received {reference}, but {file.name} has no function {function_name}. Expected "
                f"one of: {', '.join(_functions(module)) or 'a function in the file'}"
            )
        _require_no_arguments(function, function_name)
        return _called(function, f"{file.name}:{function_name}", file)


def fit_arguments(result: Any, reference: str) -> dict[str, Any]:
    """The arguments of `check_data` out of what the function returned.

    Raises:
        UsageError: for anything else than the three forms.
    """
    if isinstance(result, dict):
        if "model" not in result:
            raise UsageError(
                f"Received from {reference} a dict without `model`: {', '.join(map(str, result))}. "
                f"Expected {EXPECTED}"
            )
        unknown = [str(key) for key in result if key not in (*TAKEN, *IGNORED)]
        if unknown:
            raise UsageError(
                f"Received from {reference} a dict with {', '.join(unknown)}. Expected only "
                f"{', '.join(TAKEN)}"
            )
        return {key: value for key, value in result.items() if key not in IGNORED}
    if isinstance(result, tuple) and 2 <= len(result) <= 4:
        return dict(zip(("model", "x", "y", "sample_weight"), result, strict=False))
    received = f"{len(result)} values" if isinstance(result, tuple) else type(result).__name__
    raise UsageError(f"Received {received} from {reference}. Expected {EXPECTED}")


def _parted(reference: str) -> tuple[Path, str]:
    file, separator, function = reference.rpartition(":")
    if not separator or not file or not function.isidentifier():
        raise UsageError(f"Received {reference!r}. Expected FILE.py:FUNCTION, say train.py:make")
    path = Path(file)
    if not path.is_file():
        raise UnreadableInput(f"Received {file}, which is no file. Expected a Python script")
    return path, function


@contextlib.contextmanager
def _script_surroundings(file: Path) -> Iterator[None]:
    """As `python FILE` would have it: its folder first on the path, and no other arguments.

    stdout is for the answer.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    # A look at data must not take all of a GPU's memory.
    os.environ.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")
    sys.path.insert(0, str(file.resolve().parent))
    own, sys.argv = sys.argv, [str(file)]
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        sys.argv = own


def _loaded(file: Path) -> Any:
    name = file.stem if file.stem.isidentifier() else "user_script"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise UnreadableInput(f"Received {file}. Expected a Python script that ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader = spec.loader
    _called(lambda: loader.exec_module(module), file.name, file)
    return module


def _called(function: Callable[[], Any], name: str, file: Path) -> Any:
    try:
        return function()
    except (UsageError, UnreadableInput, KeyboardInterrupt):
        raise
    except BaseException as error:  # the script may exit, too
        raise UnreadableInput(f"{name} raised {_told(error, file)}") from error


def _told(error: BaseException, file: Path) -> str:
    """The error, and the line of the user's file that it came through last."""
    text = _written(error)
    if isinstance(error, SyntaxError):
        place = f"\n  line {error.lineno}: {(error.text or '').strip()}" if error.lineno else ""
        return f"{type(error).__name__}: {error.msg}{place}"
    own = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).resolve() == file.resolve()
    ]
    return f"{text}\n  line {own[-1].lineno}: {own[-1].line}" if own else text


def _written(error: BaseException) -> str:
    name = type(error).__name__
    try:
        return f"{name}: {error}" if str(error) else name
    except Exception:  # an exception of the user's
        return name


def _functions(module: Any) -> list[str]:
    return [
        name
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__
    ]


def _require_no_arguments(function: Callable[..., Any], name: str) -> None:
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
