"""What has happened in a run so far, counted: its journal is read once, and then what is new."""

from collections import Counter

from fitguard.monitor.journal import Journal
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.journal import (
    Alerted,
    AnyEvent,
    AttemptEnded,
    AttemptStarted,
    Decided,
    RunEnded,
    RunStarted,
    SnapshotWritten,
)
from fitguard.schema.run import RunState

_WELL = ("finished", "planned", "followed", "preempted", "interrupted")


class RunCounts:
    """Counts events of one run.

    Attributes:
        state: `running` while nothing says otherwise.
        attempt: Number of the newest; it began at `attempt_began`.
        deaths: By cause, as a tuple of one.
        restarts: By what was done, likewise.
        alerts: By code, slug and severity.
        saved: The newest snapshot; None without one.
    """

    def __init__(self, folder: RunFolder) -> None:
        self._journal = Journal(folder.journal)
        self._read_up_to = 0
        self.state: RunState = "running"
        self.attempt = 0
        self.attempt_began = 0.0
        self.deaths: Counter[tuple[str, ...]] = Counter()
        self.restarts: Counter[tuple[str, ...]] = Counter()
        self.alerts: Counter[tuple[str, ...]] = Counter()
        self.snapshots = 0
        self.saved: SnapshotWritten | None = None

    def update(self) -> None:
        """Read what was written since the last call."""
        events, self._read_up_to = self._journal.read_since(self._read_up_to)
        for event in events:
            self._take(event)

    def _take(self, event: AnyEvent) -> None:
        match event:
            case RunStarted():
                self.state = "running"
            case RunEnded():
                self.state = event.state
            case AttemptStarted():
                self.attempt, self.attempt_began = event.attempt, event.time
            case AttemptEnded() if event.outcome not in _WELL:
                self.deaths[event.cause or "unknown",] += 1
            case Decided() if event.action != "stop":
                self.restarts[event.action,] += 1
            case Alerted():
                self.alerts[event.code, event.slug, event.severity] += 1
            case SnapshotWritten():
                self.snapshots += 1
                self.saved = event
