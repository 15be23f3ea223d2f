"""One look at a run: what its files say now."""

import math
from collections.abc import Sequence

from fitguard.monitor.beats import Beat
from fitguard.monitor.heartbeat import read_beat
from fitguard.monitor.journal import now
from fitguard.monitor.newest_sample import Sample, read_newest_sample
from fitguard.monitor.output_end import read_output_end
from fitguard.monitor.run_folder import RunFolder
from fitguard.monitor.samples import list_flight_records
from fitguard.monitor.trust import require_trusted
from fitguard.report.rows.run_speed import count_steps_left, find_fit, steps_per_second
from fitguard.schema.exit_codes import UnreadableInput
from fitguard.schema.run import Attempt, LossPoint, Place, Run
from fitguard.schema.watch import Watch
from fitguard.supervise.lock import seems_guarded
from fitguard.supervise.past_runs import fold_folder

MOST_DECISIONS = 5
LATE_SECONDS = 30.0
"""A sample that is older than this is said to be."""

_POINTS_LOOKED_AT = 100


class Glance:
    """Looks at a run as often as it is asked to; its journal is read again when it has grown.

    Args:
        trust_folder: Read it though others own its folder or may write to it.
    """

    def __init__(self, folder: RunFolder, *, trust_folder: bool = False) -> None:
        self.folder = folder
        self._trust_folder = trust_folder
        self._seen: object = None
        self._run: Run | None = None
        self._moment: Watch | None = None

    def look(self) -> Watch:
        """What is known now.

        Raises:
            UnreadableInput: where the folder is gone, or is not to be trusted.
        """
        require_trusted(self.folder.path, trust_folder=self._trust_folder)
        before, run = self._run, self._read_run()
        if self._moment is None or run is not before or run.state == "running":
            self._moment = describe_moment(self.folder, run)
        return self._moment

    def close(self) -> None:
        """Nothing is held open."""

    def _read_run(self) -> Run:
        try:
            status = self.folder.journal.lstat()
        except OSError as error:
            is_gone = isinstance(error, FileNotFoundError)
            gone = "it is not there any more" if is_gone else error.strerror
            raise UnreadableInput(
                f"{self.folder.path}: {gone}. Expected the folder of a run"
            ) from error
        seen = (status.st_size, status.st_mtime_ns, seems_guarded(self.folder))
        if self._run is None or seen != self._seen:
            self._run, self._seen = fold_folder(self.folder), seen
        return self._run


def describe_moment(folder: RunFolder, run: Run) -> Watch:
    """A run as it is now."""
    attempt = run.attempts[-1] if run.attempts else None
    beat = read_beat(folder.heartbeat) if run.state == "running" else None
    records = list_flight_records(folder.flight_records)
    sample = read_newest_sample(records, since=attempt.started if attempt else -math.inf)
    place = _find_place(beat, attempt)
    fit = find_fit(run, place)
    rate = sample.steps_per_second or steps_per_second(run) or None
    left = count_steps_left(run, place) if run.state == "running" else 0
    time = now()
    return Watch(
        time=time,
        id=run.id,
        command=run.command,
        folder=run.folder,
        state=run.state,
        started=run.started,
        seconds=max(time - run.started, 0.0) if run.state == "running" else run.seconds,
        pid=attempt.pid if attempt else 0,
        attempt=attempt.number if attempt else 0,
        phase=beat.phase if beat else "",
        place=place,
        epochs=fit.epochs if fit else None,
        steps_per_epoch=fit.steps_per_epoch if fit else None,
        steps_per_second=rate,
        steps_left=left or None,
        seconds_left=left / rate if left and rate else None,
        measured=sample.time or None,
        values={name: one for name, one in sample.values.items() if math.isfinite(one)},
        logs=_join_logs(run.losses, sample),
        alerts=tuple(one for one in run.alerts if attempt and one.attempt == attempt.number),
        decisions=run.decisions[-MOST_DECISIONS:],
        output=read_output_end(folder),
        missing=tuple(_list_missing(folder, run, sample, time)),
    )


def _find_place(beat: Beat | None, attempt: Attempt | None) -> Place:
    if beat is not None and beat.place.fit:
        return beat.place
    return attempt.last if attempt else Place()


def _join_logs(points: Sequence[LossPoint], sample: Sample) -> dict[str, float | None]:
    """The journal has them seldom; the flight record has the loss of now."""
    newest: dict[str, float] = {}
    for point in points[-_POINTS_LOOKED_AT:]:
        newest |= point.logs
    if "loss" in sample.values and not (points and points[-1].time > sample.time):
        newest["loss"] = sample.values["loss"]
    return {name: value if math.isfinite(value) else None for name, value in newest.items()}


def _list_missing(folder: RunFolder, run: Run, sample: Sample, time: float) -> list[str]:
    if not folder.flight_records.is_dir():
        return [
            "This run has no flight record: an older fitguard wrote it, or nothing was measured "
            "yet. Memory and times of steps are not shown."
        ]
    missing = [
        f"{file}. What this file of the flight record measured is not shown."
        for file in sample.unreadable
    ]
    late = time - sample.time
    if run.state == "running" and sample.time and late > LATE_SECONDS:
        old = f"The newest sample is {late:,.0f} s old: its values may not be true any more."
        missing.append(old)
    return missing
