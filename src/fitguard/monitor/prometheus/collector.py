"""All runs of a folder as metrics, read anew for each scrape."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import get_args

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from fitguard.monitor.lease_files import LASTS_SECONDS, Lease, read_lease
from fitguard.monitor.newest_sample import Sample, read_newest_sample
from fitguard.monitor.prometheus.counts import RunCounts
from fitguard.monitor.prometheus.gpu_labels import GPU_LABELS, label_gpu
from fitguard.monitor.prometheus.naming import PREFIX, name_metric
from fitguard.monitor.run_folder import RunFolder
from fitguard.monitor.samples import list_flight_records
from fitguard.schema.metrics import METRICS, split_column
from fitguard.schema.run import RunState

_RUN = ("run", "Hostname")
_STALE_SECONDS = 60.0
_STATES: tuple[RunState, ...] = get_args(RunState)
_LEFT_OUT = ("attempt",)
"""It is a label."""


@dataclass(frozen=True)
class _View:
    """One run at the time of a scrape."""

    run: str
    host: str
    state: RunState
    counts: RunCounts
    sample: Sample

    @property
    def labels(self) -> tuple[str, ...]:
        return (self.run, self.host)


class RunCollector:
    """Gives prometheus_client what the folders of runs tell.

    Args:
        list_folders: Of all runs that shall be seen.
    """

    def __init__(self, list_folders: Callable[[], Iterable[RunFolder]]) -> None:
        self._list_folders = list_folders
        self._counts: dict[str, RunCounts] = {}
        self._lock = threading.Lock()

    def collect(self) -> Iterator[Metric]:
        """Called by prometheus_client."""
        with self._lock:  # two may scrape at once, and an event counts once
            views = [self._look(folder) for folder in self._list_folders()]
        yield from _build_states(views)
        yield from _build_counters(views)
        yield from _build_samples([view for view in views if view.sample.values])

    def _look(self, folder: RunFolder) -> _View:
        counts = self._counts.setdefault(folder.id, RunCounts(folder))
        counts.update()
        lease = _read_lease(folder)
        now = time.time()
        state = counts.state
        if state == "running" and (lease is None or now - lease.renewed > 3 * LASTS_SECONDS):
            state = "lost"
        paths = list_flight_records(folder.flight_records)
        sample = read_newest_sample(paths, max(counts.attempt_began, now - _STALE_SECONDS))
        return _View(folder.id, lease.host if lease else "", state, counts, sample)


def _read_lease(folder: RunFolder) -> Lease | None:
    with contextlib.suppress(OSError):
        file = read_lease(folder.path)
        return file.lease if file is not None else None
    return None


def _build_states(views: Iterable[_View]) -> Iterator[Metric]:
    state = GaugeMetricFamily(
        f"{PREFIX}run_state", "1 for the state that the run is in", labels=(*_RUN, "state")
    )
    for view in views:
        for one in _STATES:
            state.add_metric((*view.labels, one), float(one == view.state))
    yield state


def _build_counters(views: list[_View]) -> Iterator[Metric]:
    def count(name: str, text: str, labels: tuple[str, ...] = ()) -> CounterMetricFamily:
        return CounterMetricFamily(f"{PREFIX}{name}", text, labels=(*_RUN, *labels))

    attempts = count("attempts", "Training processes that were started")
    deaths = count("deaths", "Training processes that died, by cause", ("cause",))
    restarts = count("restarts", "Decisions to start again, by remedy", ("action",))
    alerts = count("alerts", "What detectors found", ("code", "slug", "severity"))
    snapshots = count("snapshots", "Snapshots that were written")
    saved = GaugeMetricFamily(
        f"{PREFIX}last_snapshot_timestamp_seconds", "When the newest was written", labels=_RUN
    )
    size = GaugeMetricFamily(f"{PREFIX}snapshot_bytes", "Size of the newest", labels=_RUN)
    for view in views:
        counts = view.counts
        attempts.add_metric(view.labels, counts.attempt)
        snapshots.add_metric(view.labels, counts.snapshots)
        for family, counted in (
            (deaths, counts.deaths),
            (restarts, counts.restarts),
            (alerts, counts.alerts),
        ):
            for labels, number in counted.items():
                family.add_metric((*view.labels, *labels), number)
        if counts.saved is not None:
            saved.add_metric(view.labels, counts.saved.time)
            size.add_metric(view.labels, counts.saved.bytes)
    yield from (attempts, deaths, restarts, alerts, snapshots, saved, size)


def _build_samples(views: list[_View]) -> Iterator[Metric]:
    """What is measured, of runs that are measured now."""
    families: dict[str, GaugeMetricFamily | CounterMetricFamily] = {}
    for metric in METRICS.values():
        labels = (*_RUN, "attempt", *(GPU_LABELS if metric.each_gpu else ()))
        kind = CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily
        families[metric.name] = kind(name_metric(metric), metric.text, labels=labels)
    sampled = GaugeMetricFamily(
        f"{PREFIX}last_sample_timestamp_seconds", "When was measured last", labels=_RUN
    )
    speed = GaugeMetricFamily(f"{PREFIX}steps_per_second", "In the last half minute", labels=_RUN)
    here = socket.gethostname()
    for view in views:
        sampled.add_metric(view.labels, view.sample.time)
        if view.sample.steps_per_second is not None:
            speed.add_metric(view.labels, view.sample.steps_per_second)
        for column, value in view.sample.values.items():
            found = split_column(column)
            if found is None or found[0].name in _LEFT_OUT:
                continue
            metric, index = found
            gpu = () if index is None else label_gpu(index, is_here=view.host == here)
            labels = (*view.labels, str(view.counts.attempt), *gpu)
            families[metric.name].add_metric(labels, value)
    yield from (family for family in (sampled, speed, *families.values()) if family.samples)
