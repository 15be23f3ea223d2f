"""`fitguard.fit`: `model.fit` in a process of its own, under the supervisor."""

import difflib
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fitguard.contract.compiling import is_compiled
from fitguard.contract.libraries import library_of
from fitguard.inputs.models.library import recognise
from fitguard.keras.state.randomness import write_random
from fitguard.memory.sizes import size_bytes
from fitguard.monitor.run_folder import RUNS
from fitguard.notebook.data import factories_in, require_carriable
from fitguard.notebook.died import build_death_error
from fitguard.notebook.fit import THE_MODEL
from fitguard.notebook.kernel_gpu import leave_gpu_memory, warn_about_gpu
from fitguard.notebook.request import Request
from fitguard.notebook.starting import (
    leave_open,
    new_request,
    notebook_command,
    run_options,
    take_globals,
)
from fitguard.notebook.supervised import Interrupted, supervise_training
from fitguard.schema.exit_codes import UsageError
from fitguard.supervise.after_snapshot import Hook
from fitguard.supervise.notice_targets import Target, read_targets


def fit(
    model: Any,
    x: Any = None,
    y: Any = None,
    *,
    runs_folder: str | Path = RUNS,
    name: str | None = None,
    resume: str | None = None,
    exact_only: bool = False,
    allow: str | Sequence[str] = (),
    micro_batch: int | None = None,
    snapshot_seconds: float | None = None,
    disk: str | int | None = None,
    memory_limit: str | int | None = None,
    max_attempts: int = 20,
    hang_seconds: float | None = None,
    require_guard: bool = False,
    after_snapshot: Hook | None = None,
    notify: Sequence[Target] = (),
    **arguments: Any,
) -> Any:
    """Train a model as `model.fit` does, in a process whose crash does not hurt this one.

    The process is guarded: after a crash, or where memory runs out, it begins again where it was.
    At the end the model here has the weights, the optimizer state and the metrics that plain
    `model.fit` would have given it, and so have callbacks and random generators.

    Args:
        model: A compiled Keras model, or a function that returns one. A model that Keras cannot
            write down needs the function; `history.model` is the trained model then.
        x: As for `model.fit`: arrays, tensors, DataFrames, lists and dicts of them, a `PyDataset`,
            or a `tf.data.Dataset`, whose batches this process draws for the training. For a
            generator: a function that returns it. It is called in the training process, and may
            return a dataset or a tuple of arrays `(x, y)` as well.
        y: As for `model.fit`.
        runs_folder: Where the folder of the run is made.
        name: Of the run, in place of an id that is made for it.
        resume: Id or name of a run that was interrupted: go on with it. Give the same arguments
            again. With a `name`, `auto` starts the run, or goes on with it where it is there.
        exact_only: Stop instead of changing any number.
        allow: What may change results: `batch-statistics`, `jit-off`, `mixed-precision`.
        micro_batch: Rows of a micro-batch to begin with; the batch of the optimizer stays whole.
        snapshot_seconds: Between snapshots; None to choose from what they cost.
        disk: That snapshots may take: `"20GB"`, or bytes; None for half of what is free.
        memory_limit: That the training may take of each GPU, or without one on the CPU: `"8GiB"`,
            or bytes; None for all.
        max_attempts: In a row that get no further, until the run is given up.
        hang_seconds: Without a step, until the training counts as hung; None to choose.
        require_guard: End where the training cannot be guarded.
        after_snapshot: Called after each finished snapshot, in a thread of this process: a function
            that takes it (`snapshot.path`, `snapshot.folder`, `snapshot.place`), or a command.
        notify: Who is told of restarts, alerts and the end: addresses of webhooks, commands, or
            functions that take the notice (`notice.event`, `notice.text`).
        **arguments: All other arguments of `model.fit`: `epochs`, `batch_size`, `callbacks`,
            `validation_data`, which may be a function, too, …

    Returns:
        The `History` that `model.fit` returns.

    Raises:
        UsageError: for arguments that `model.fit` does not have, and for what cannot be taken to
            another process; the message says what to do instead.
        TrainingDied: where the training failed and another attempt would not help.
        KeyboardInterrupt: where it was interrupted; the model has the weights trained so far, and
            `resume` goes on with the run.

    Example:
        >>> model = keras.Sequential([keras.Input((10,)), keras.layers.Dense(1)])
        >>> model.compile(optimizer="adam", loss="mse")
        >>> history = fitguard.fit(model, x, y, epochs=5, validation_split=0.2)
        >>> model.predict(x)

        >>> def make_dataset():
        ...     return tf.data.TFRecordDataset(files).map(parse).batch(256)
        >>> history = fitguard.fit(model, make_dataset, epochs=5)
    """
    build = _builder(model)
    given = {"x": x, **({} if y is None else {"y": y}), **arguments}
    _require_known(model if build is None else None, arguments)
    require_carriable(given)
    leave_gpu_memory()
    warn_about_gpu()
    options = run_options(
        runs_folder=Path(runs_folder),
        name=name,
        resume=resume,
        exact_only=exact_only,
        allow=(allow,) if isinstance(allow, str) else tuple(allow),
        micro_batch=micro_batch,
        snapshot_seconds=snapshot_seconds,
        disk_bytes=None if disk is None else size_bytes(disk, "disk"),
        memory_limit_bytes=(
            None if memory_limit is None else size_bytes(memory_limit, "memory_limit")
        ),
        max_attempts=max_attempts,
        hang_seconds=hang_seconds,
        require_guard=require_guard,
        after_snapshot=after_snapshot,
        notify=read_targets((notify,) if isinstance(notify, str) else notify),
    )
    request = new_request(options)
    try:
        request.send(
            {
                "model": model if build is None else None,
                "build": build,
                "factories": factories_in(given),
                **given,
            }
        )
        name = getattr(model, "name", None) or getattr(model, "__name__", "build")
        command = notebook_command("fit", f"fitguard.fit({name})", request.folder, options)
        result = supervise_training(command, options, 'fitguard.fit(…, resume="{id}")')
        if result.exit_code != 0:
            raise build_death_error(result)
        return _take_over(request, build)
    except Interrupted as interrupted:
        leave_open(request, interrupted.run)
        if build is None and request.has_answer:
            take_globals(request.answer().content())
        raise KeyboardInterrupt from None
    finally:
        request.remove()


def _take_over(request: Request, build: Callable[[], Any] | None) -> Any:
    """The end state of the training becomes that of the notebook; what `fit` returned."""
    visit = request.answer({} if build is None else {THE_MODEL: build()})
    content = visit.content()
    take_globals(content)
    write_random(visit.surroundings["random"])
    return content["history"]


def _builder(model: Any) -> Callable[[], Any] | None:
    """The function that builds the model; None where it is one.

    Raises:
        UsageError: where it is neither.
    """
    if library_of(model, "Model") is None and callable(model) and not isinstance(model, type):
        builder: Callable[[], Any] = model
        return builder
    recognise(model, "fit")
    if not is_compiled(model):
        raise UsageError(
            f"Received {model.name}, which is not compiled. Expected a compiled model: call "
            "model.compile(optimizer, loss) before fitguard.fit(model, x, y)."
        )
    return None


def _require_known(model: Any, arguments: dict[str, Any]) -> None:
    """Refuse arguments that `fit` of the model does not have."""
    if model is None:
        return
    parameters = inspect.signature(model.fit).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    for name in arguments:
        if name not in parameters:
            options = [*parameters, *inspect.signature(fit).parameters]
            near = difflib.get_close_matches(name, options, 1)
            raise UsageError(
                f"Received the argument {name}, which {type(model).__name__}.fit does not have. "
                f"Expected {near[0] if near else 'one of ' + ', '.join(parameters)}."
            )
