"""`guard()`: a training gets to its end, in as many processes as that takes.

claim the run's folder                               new, or resumed
while True:
    start a child                                    AttemptStarted
    carry its output, watch it, wait for its end
    find out how it ended, and why                   AttemptEnded
    finished, interrupted, asked to leave: out
    decide what to do next                           Decided
    stop, or wait and start again
tell the user                                        RunEnded
"""

import queue
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fitguard.facts import cgroup
from fitguard.monitor.journal import now
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import INTERRUPTED
from fitguard.schema.journal import LEFT_AS_ASKED, AttemptEnded, Decided, Orders, RunEnded
from fitguard.schema.run import Outcome, Run, RunState
from fitguard.supervise import telling
from fitguard.supervise.claim import Claim, claiming_run
from fitguard.supervise.command import Command
from fitguard.supervise.desk import Cancel, Desk
from fitguard.supervise.inbox import taking_signals
from fitguard.supervise.live_attempt import LiveAttempt, Observation
from fitguard.supervise.options import RunOptions
from fitguard.supervise.pausing import Asked, Pause
from fitguard.supervise.postmortem import Postmortem, examine_end
from fitguard.supervise.processes import kill_all

if TYPE_CHECKING:
    from fitguard.supervise.deciding import Next

_UNWRITABLE_SECONDS = 10.0
_UNWRITABLE_TRIES = 6
_BY_ITSELF: tuple[Outcome, ...] = ("finished", "exited", "exception", "interrupted")
"""What the script started may outlive such an end, as under plain Python."""


@dataclass(frozen=True)
class GuardResult:
    """How a guarded run ended.

    Args:
        exit_code: 0 where the training finished; its own where it was given up; 75 where it was
            asked to leave; 130 where it was interrupted.
    """

    exit_code: int
    folder: RunFolder
    run: Run


class Guarding:
    """One guarded run.

    Args:
        command: What trains; None to take the words of the run that is resumed.
        say: Tells the user one line, without a prefix. A line that begins with a line feed comes
            while the training's own is not at its end.
        stdout: File number where the training's output goes, as `stderr`.
    """

    def __init__(
        self,
        command: Command | None,
        options: RunOptions,
        *,
        say: Callable[[str], None],
        stdout: int = 1,
        stderr: int = 2,
    ) -> None:
        self._command = command
        self._options = options
        self._tell = say
        self._streams = (stdout, stderr)
        self._cancels: queue.SimpleQueue[Cancel] = queue.SimpleQueue()
        self._live: LiveAttempt | None = None
        self._asides = 0

    def cancel(self, how: Cancel = "interrupt") -> None:
        """End the run, from any thread; again to be stronger."""
        self._cancels.put(how)

    def run(self) -> GuardResult:
        """Guard it to its end. In the main thread signals are taken; elsewhere `cancel` ends it.

        Raises:
            UsageError: where there is no such run to resume, or its folder cannot be written.
        """
        with ExitStack() as stack:
            claim = stack.enter_context(claiming_run(self._command, self._options, self._say))
            box = stack.enter_context(taking_signals())
            stdout, stderr = self._streams
            self._desk = Desk(
                command=claim.command,
                options=self._options,
                folder=claim.folder,
                record=claim.record,
                log=claim.log,
                inbox=box,
                say=self._say,
                stdout=stdout,
                stderr=stderr,
                cancels=self._cancels,
            )
            ended = self._loop(claim)
            claim.record.add(ended)
            if ended.state == "finished":
                # Not by the child: what comes after its last line may still fail.
                shutil.rmtree(claim.folder.kept_files, ignore_errors=True)
            run = claim.record.document(alive=False)
            self._close(run)
            return GuardResult(ended.exit_code, claim.folder, run)

    def _say(self, text: str) -> None:
        self._asides += 1
        midline = self._live is not None and self._live.in_midline
        self._tell(f"\n{text}" if midline else text)

    def _close(self, run: Run) -> None:
        if not self._options.quiet or run.state != "finished" or len(run.attempts) > 1:
            self._say(telling.describe_run(run))

    def _loop(self, claim: Claim) -> RunEnded:
        orders = claim.orders
        while True:
            seen = self._attempt(orders)
            if isinstance(seen, RunEnded):
                return seen
            postmortem = self._examine(seen, orders.attempt)
            if postmortem.event.outcome not in _BY_ITSELF:
                kill_all(seen.relatives[1:])
            ended = self._end_undecided(seen, postmortem)
            if ended is not None:
                return ended
            following = self._decide(orders, postmortem)
            if isinstance(following, RunEnded):
                return following
            orders = following
            kill_all(seen.relatives[1:])

    def _attempt(self, orders: Orders) -> Observation | RunEnded:
        """One attempt; a disk that is full for a while is waited for."""
        for _ in range(_UNWRITABLE_TRIES):
            try:
                self._desk.record.order(orders)
                self._kills_before = cgroup.oom_kills()
                self._live = LiveAttempt(self._desk, orders)
            except OSError as error:
                problem = error
            else:
                return self._live.run()
            self._say(f"cannot start the training: {problem}. Trying again.")
            if asked := Pause(self._desk)(_UNWRITABLE_SECONDS):
                return _end_as_asked(asked)
        self._say("cannot start the training. fitguard gives up.")
        return _end_run("stopped", 1)

    def _examine(self, seen: Observation, attempt: int) -> Postmortem:
        record = self._desk.record
        before, after = self._kills_before, cgroup.oom_kills()
        kills = after - before if before is not None and after is not None else None
        postmortem = examine_end(seen, attempt, record.events(), killed_by_kernel=kills)
        if postmortem.failed is not None:
            record.add(postmortem.failed)
        record.add(postmortem.event)
        return postmortem

    def _end_undecided(self, seen: Observation, postmortem: Postmortem) -> RunEnded | None:
        """The end of the run, where there is nothing to decide."""
        how, status = postmortem.event.outcome, seen.exit_status
        if how == "finished":
            return _end_run("finished", 0)
        if how == "preempted":
            return _end_run("preempted", LEFT_AS_ASKED)
        if how == "interrupted":
            killed = status.signal in (None, "SIGINT", "SIGTERM", "SIGKILL")
            code = status.exit_code or (INTERRUPTED if killed else status.shell_code)
            return _end_run("interrupted", code)
        if seen.reader_gone:
            return _end_run("stopped", status.shell_code)
        if seen.stuck:
            self._say(
                "the training cannot be killed, because it waits inside a driver. Reset the GPU or "
                "restart the machine."
            )
            return _end_run("stopped", status.shell_code)
        return None

    def _decide(self, orders: Orders, postmortem: Postmortem) -> Orders | RunEnded:
        """Decide, say so, and wait for the right moment."""
        # Loaded only now: a run without a fault needs none of the policy.
        from fitguard.monitor.saved_place import read_saved
        from fitguard.supervise.deciding import DecideOptions, decide
        from fitguard.supervise.machine import view_machine
        from fitguard.supervise.past_attempts import list_past_attempts

        options, record = self._options, self._desk.record
        allowed = DecideOptions(
            max_attempts=options.max_attempts, allow=options.allow, exact_only=options.exact_only
        )
        environment = {**self._desk.environment, **orders.environment}
        following = decide(
            list_past_attempts(
                record.events(), postmortem.xids, read_saved(self._desk.folder.snapshots)
            ),
            orders,
            allowed,
            view_machine(environment),
        )
        self._say(following.text)
        record.add(_build_decision(postmortem.event, following))
        if following.stop:
            for line in telling.describe_diagnosis(postmortem):
                self._say(line)
            return _end_run("stopped", following.exit_code)
        asked = Pause(self._desk).before(following)
        return _end_as_asked(asked) if asked else following.orders


def _build_decision(ended: AttemptEnded, following: "Next") -> Decided:
    return Decided(
        time=now(),
        attempt=ended.attempt,
        action=following.action,
        cause=following.cause,
        text=following.text,
        changes_results=following.changes_results,
    )


def _end_as_asked(asked: Asked) -> RunEnded:
    return _end_run(asked, INTERRUPTED if asked == "interrupted" else LEFT_AS_ASKED)


def _end_run(state: RunState, exit_code: int) -> RunEnded:
    return RunEnded(time=now(), state=state, exit_code=exit_code)


def guard(
    command: Command | None,
    options: RunOptions,
    *,
    say: Callable[[str], None],
    stdout: int = 1,
    stderr: int = 2,
) -> GuardResult:
    """Guard a training to its end; see `Guarding`, which can be cancelled as well."""
    return Guarding(command, options, say=say, stdout=stdout, stderr=stderr).run()
