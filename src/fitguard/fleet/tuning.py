"""`fitguard.fleet.make_trainable`: a guarded training as a trial of Ray Tune.

Tune chooses the values and says where the trial runs. The trial is a run in the storage, under a
name that only it has: started again by Tune, it goes on from its last snapshot, on any node.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from fitguard.fleet.jobs import build_jobs, find_grace
from fitguard.fleet.storage.opening import is_remote
from fitguard.fleet.trainer import Ended, Order, Trainer
from fitguard.monitor.journal import Journal
from fitguard.monitor.run_folder import RUNS, RunFolder
from fitguard.schema.exit_codes import TrainingDied, UsageError
from fitguard.schema.fleet import FleetJob
from fitguard.schema.journal import LEFT_AS_ASKED, Logged
from fitguard.words import one_line, short

_LOOK_SECONDS = 1.0
_AGAIN_SECONDS = 2.0
_OTHERS_SECONDS = 60.0
"""Beside the grace that a job asks for: until the last start of a trial has left its run."""
_LONGEST = 300
_OF_THE_FLEET = ("sweep", "workers", "priority", "cards", "memory", "takes")
"""Keys of a job that Tune decides, or nobody can."""


def make_trainable(
    job: Mapping[str, Any], *, storage: str | Path = RUNS
) -> Callable[[dict[str, Any]], None]:
    """A function that Ray Tune can try with many values.

    After each epoch it reports what Keras logged, with `epoch` and `fit`. A trial that was
    interrupted goes on from its last snapshot.

    Args:
        job: With the keys of a job in `jobs.yaml`. `{lr}` stands for the `lr` of the trial, and a
            function gets it as an argument. Tune gives the resources:
            `tune.with_resources(trainable, {"gpu": 0.5})`.
        storage: Folder of the runs, which all nodes see.

    Example:
        >>> job = {"name": "net", "run": "train.py --lr {lr}", "folder": "/project"}
        >>> trainable = fitguard.fleet.make_trainable(job, storage="/shared/runs")
        >>> tune.Tuner(trainable, param_space={"lr": tune.loguniform(1e-4, 1e-1)}).fit()

    Raises:
        UsageError: where Ray Tune is not installed, or for keys that a trial cannot have.
    """
    require_tune()
    wrong = [key for key in _OF_THE_FLEET if key in job]
    if wrong:
        raise UsageError(
            f"Received {wrong[0]} in the job of a trial. Expected it without "
            f"{', '.join(_OF_THE_FLEET)}: Ray Tune chooses values and resources"
        )
    if is_remote(storage):
        raise UsageError(
            f"Received storage {storage} for trials of Ray Tune. Expected a folder that all nodes "
            "share: what a trial reports is read there while it trains"
        )
    given = {**job, "folder": str(Path(job.get("folder", ".")).absolute())}
    folder = str(Path(storage).expanduser().absolute())

    def train(config: dict[str, Any]) -> None:
        from ray import tune

        trial = tune.get_context().get_trial_id()
        _train(fill_job(given, config, trial), folder, tune.report)

    return train


def require_tune() -> None:
    """Tell how to get Ray Tune, where it is not installed.

    Raises:
        UsageError: where it is not.
    """
    try:
        import ray.tune  # noqa: F401
    except ImportError as error:
        raise UsageError(
            f"Received a training for Ray Tune, which cannot be imported here: {error}. Expected "
            'it: pip install "ray[tune]"'
        ) from error


def fill_job(job: Mapping[str, Any], config: Mapping[str, Any], trial: str) -> FleetJob:
    """The job of one trial, with its values and a name of its own.

    Raises:
        UsageError: for a value that the training does not get, or that is no text or number.
    """
    named = {**job, "name": f"{job.get('name', 'trial')}-{trial}"}
    if config:
        named["sweep"] = {name: [value] for name, value in config.items()}
    return build_jobs([named])[0]


def _train(job: FleetJob, storage: str, report: Callable[[dict[str, Any]], None]) -> None:
    words = ("--resume=auto", f"--name={job.name}", *job.options)
    python = (f"--python={job.python}",) if job.python else ()
    order = Order(
        words=(*words, *python, "--", *job.command),
        run=job.name,
        storage=storage,
        folder=job.folder,
        environment=job.environment,
        parcels=job.parcels,
    )
    patience_seconds = _OTHERS_SECONDS + (find_grace(job) or 0.0)
    trainer, asked, answer = Trainer(), threading.Event(), Future[Ended]()

    def work() -> None:
        try:
            answer.set_result(_train_patiently(trainer, order, asked, patience_seconds))
        except BaseException as error:  # it is raised where it is waited for
            answer.set_exception(error)

    # The training lives as long as the thread that starts it.
    working = threading.Thread(target=work, daemon=True)
    working.start()
    epochs = _Epochs(RunFolder(Path(storage) / job.name))
    try:
        while working.is_alive():
            working.join(_LOOK_SECONDS)
            for metrics in epochs.read():
                report(metrics)
    finally:
        asked.set()
        trainer.leave()
        working.join()
    ended = answer.result()
    if ended.exit_code:
        said = ended.record.why or f"exit code {ended.exit_code}: {ended.said}"
        raise TrainingDied(short(one_line(said), _LONGEST))


def _train_patiently(
    trainer: Trainer, order: Order, asked: threading.Event, seconds: float
) -> Ended:
    """Train; what an actor that died has left behind may hold the run for a while.

    Args:
        asked: Whether it is to leave.
        seconds: For which somebody else may hold the run.
    """
    until = time.monotonic() + seconds
    while True:
        ended = trainer.train(order)
        is_held = ended.exit_code == LEFT_AS_ASKED and ended.record.outcome != "preempted"
        if not is_held or time.monotonic() > until or asked.wait(_AGAIN_SECONDS):
            return ended


class _Epochs:
    """What was logged at the ends of epochs, each once, also where some were trained twice."""

    def __init__(self, folder: RunFolder) -> None:
        self._journal = Journal(folder.journal)
        self._position = 0
        self._last = (0, 0)

    def read(self) -> Iterator[dict[str, Any]]:
        """Those since the last time."""
        events, self._position = self._journal.read_since(self._position)
        for event in events:
            if isinstance(event, Logged) and event.epoch_end:
                # The epoch that has just ended is not yet among those that are complete.
                place = (event.place.fit, event.place.epoch + bool(event.place.step))
                if place > self._last:
                    self._last = place
                    yield {**event.logs, "fit": place[0], "epoch": place[1]}
