"""`guard()`: a training gets to its end, in as many processes as that takes.

claim the run's folder                               new, or resumed
while True:
    one of several workers: wait for the others
    start a child                                    AttemptStarted
    carry its output, watch it, wait for its end
    find out how it ended, and why                   AttemptEnded
    finished, interrupted, asked to leave: out
    it may be the hardware: probe the GPUs           Probed
    decide what to do next                           Decided
    stop, or wait and start again
tell the user                                        RunEnded
"""

import contextlib
import queue
import select
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from fitguard.facts import cgroup
from fitguard.monitor.journal import now
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import INTERRUPTED
from fitguard.schema.journal import Orders, RunEnded
from fitguard.schema.run import Outcome, Run, RunState
from fitguard.supervise import telling
from fitguard.supervise.after_snapshot import calling_hook
from fitguard.supervise.claim import Claim, claiming_run
from fitguard.supervise.command import Command
from fitguard.supervise.company import Company
from fitguard.supervise.desk import Cancel, Desk
from fitguard.supervise.inbox import Inbox, taking_signals
from fitguard.supervise.live_attempt import LiveAttempt, Observation
from fitguard.supervise.options import RunOptions
from fitguard.supervise.orphans import adopting_orphans
from fitguard.supervise.outlets import opening_outlets
from fitguard.supervise.pausing import Asked, Pause
from fitguard.supervise.postmortem import Postmortem, examine_end
from fitguard.supervise.record import build_decision
from fitguard.supervise.standard_input import StandardInput

if TYPE_CHECKING:
    from fitguard.schema.probe import ProbeReport
    from fitguard.supervise.deciding import Next
    from fitguard.supervise.gang.joining import Gang
    from fitguard.supervise.spot import Notice, SpotWatch

_UNWRITABLE_SECONDS = 10.0
_UNWRITABLE_TRIES = 6
_LOOK_MILLISECONDS = 100
_HOOK_SECONDS = 600.0
_LEAST_HOOK_SECONDS = 1.0
_NOTICE_SECONDS = 10.0
_Finish = Callable[[float, Callable[[float], bool]], None]
_BY_ITSELF: tuple[Outcome, ...] = ("finished", "exited", "exception", "interrupted")
"""What the script started may outlive such an end, as under plain Python."""


@dataclass(frozen=True)
class GuardResult:
    """How a guarded run ended.

    Args:
        exit_code: 0 where the training finished; its own where it was given up; 75, or what the
            options say, where it was asked to leave; 130 where it was interrupted.
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
        readers_leave: Who reads them leaves with us: what processes that the script left behind
            write later goes nowhere.
    """

    def __init__(
        self,
        command: Command | None,
        options: RunOptions,
        *,
        say: Callable[[str], None],
        stdout: int = 1,
        stderr: int = 2,
        readers_leave: bool = False,
    ) -> None:
        self._command = command
        self._options = options
        self._tell = say
        self._streams = (stdout, stderr)
        self._readers_leave = readers_leave
        self._cancels: queue.SimpleQueue[Cancel] = queue.SimpleQueue()
        self._live: LiveAttempt | None = None
        self._inbox = Inbox()

    def cancel(self, how: Cancel = "interrupt") -> None:
        """End the run, from any thread; again to be stronger."""
        self._cancels.put(how)

    def run(self) -> GuardResult:
        """Guard it to its end. In the main thread signals are taken; elsewhere `cancel` ends it.

        Raises:
            UsageError: where there is no such run to resume, or its folder cannot be written.
        """
        with ExitStack() as stack:
            gang = self._join_gang()
            seed = gang.plan.seed if gang is not None else None
            claim = stack.enter_context(claiming_run(self._command, self._options, self._say, seed))
            self._inbox = stack.enter_context(taking_signals(self._options.preempt_signals))
            spot = self._watch_spot(stack)
            stdout, stderr = self._streams
            self._desk = Desk(
                command=claim.command,
                options=self._options,
                folder=claim.folder,
                record=claim.record,
                log=claim.log,
                inbox=self._inbox,
                lease=claim.lease,
                orphans=stack.enter_context(adopting_orphans()),
                stdin=stack.enter_context(contextlib.closing(StandardInput())),
                say=self._say,
                stdout=stdout,
                stderr=stderr,
                cancels=self._cancels,
                spot=spot,
                company=Company(claim.folder) if gang is None else gang.enroll(claim, self._say),
            )
            self._pause = Pause(self._desk)
            hook = stack.enter_context(
                calling_hook(
                    self._options.after_snapshot,
                    claim.folder,
                    self._say,
                    self._desk.orphans.spare,
                )
            )
            notifier = stack.enter_context(opening_outlets(self._desk))
            ended = self._loop(claim)
            self._desk.company.close(ended.state, ended.exit_code)
            claim.record.add(ended)
            if hook is not None:
                self._await_hook(hook.finish, _HOOK_SECONDS, ended)
            if notifier is not None:
                self._await_hook(notifier.finish, _NOTICE_SECONDS, ended)
            if ended.state == "finished" and not claim.folder.has_set_aside:
                # Not by the child: what comes after its last line may still fail.
                shutil.rmtree(claim.folder.kept_files, ignore_errors=True)
            run = claim.record.document(alive=False)
            self._close(run)
            return GuardResult(ended.exit_code, claim.folder, run)

    def _await_hook(self, finish: _Finish, seconds: float, ended: RunEnded) -> None:
        """Let what the user wants done be done, unless we are wanted to leave."""
        if ended.state == "preempted":
            spent = self._live.asked_seconds if self._live is not None else 0.0
            left = self._desk.measure_grace() - spent
            seconds = min(seconds, max(_LEAST_HOOK_SECONDS, left))
        pause = Pause(self._desk)
        finish(seconds, lambda slice_seconds: pause(slice_seconds) is not None)

    def _join_gang(self) -> "Gang | None":
        if self._options.gang is None:
            return None
        # Loaded only now: most trainings have one worker.
        from fitguard.supervise.gang.joining import join_gang

        return join_gang(self._command, self._options.gang, self._options)

    def _watch_spot(self, stack: ExitStack) -> "SpotWatch | None":
        if self._options.spot == "off":
            return None
        # Loaded only now: most runs speak to no network.
        from fitguard.supervise.spot import watching_spot

        return stack.enter_context(watching_spot(self._options.spot, self._warn, self._say))

    def _warn(self, notice: "Notice") -> None:
        self._say(f"{notice.text}.")
        self.cancel("leave")

    def _say(self, text: str) -> None:
        midline = self._live is not None and self._live.output.in_midline
        if self._await_reader():
            self._tell(f"\n{text}" if midline else text)

    def _await_reader(self) -> bool:
        """Wait until our line will be taken; False where the user calls us away first."""
        waiting = select.poll()
        waiting.register(self._streams[1], select.POLLOUT)
        while not waiting.poll(_LOOK_MILLISECONDS):
            called_away = self._live is not None and self._live.is_called_away
            if called_away or self._inbox.wants_end:
                return False
        return True

    def _close(self, run: Run) -> None:
        live = self._live
        left_behind = live is not None and live.output.hand_over(discard=self._readers_leave)
        if self._options.quiet and run.state == "finished" and len(run.attempts) == 1:
            return
        if left_behind:
            self._say(
                "a process that the script started still runs. fitguard leaves it alone, and no "
                "longer records its output."
            )
        folder = self._desk.folder
        self._say(
            telling.describe_run(
                run,
                kept=folder.journal.exists(),
                has_set_aside=folder.has_set_aside,
                resume=self._desk.company.describe_resume(run),
            )
        )

    def _loop(self, claim: Claim) -> RunEnded:
        orders = self._gather(self._take_back_gpus(claim.orders))
        while isinstance(orders, Orders):
            seen = self._attempt(orders)
            if isinstance(seen, RunEnded):
                return seen
            postmortem = self._examine(seen, orders.attempt)
            if postmortem.event.outcome not in _BY_ITSELF:
                self._desk.orphans.end(seen.relatives[1:])
            ended = self._end_undecided(seen, postmortem)
            if ended is not None:
                return ended
            following = self._decide(orders, postmortem)
            if following.probe and self._options.probe:
                self._desk.orphans.end(seen.relatives[1:])
                report = self._probe(orders, following.cause)
                if isinstance(report, str):
                    return self._end_as_asked(report)
                following = self._decide(orders, postmortem, report)
            self._tell_decision(following, postmortem)
            if following.stop:
                return _end_run("stopped", following.exit_code)
            self._desk.orphans.end(seen.relatives[1:])
            if asked := self._pause.before(following):
                return self._end_as_asked(asked)
            orders = self._gather(following.orders)
        return orders

    def _take_back_gpus(self, orders: Orders) -> "Orders | Asked":
        if not orders.environment:
            return orders
        from fitguard.supervise.taking_back import probe_left_out

        return probe_left_out(self._desk, orders)

    def _gather(self, orders: "Orders | Asked") -> Orders | RunEnded:
        """Orders to begin with, as soon as all who train together are ready."""
        if isinstance(orders, str):
            return self._end_as_asked(orders)
        gathered = self._desk.company.gather(orders, self._pause)
        if isinstance(gathered, Orders):
            return gathered
        if isinstance(gathered, str):
            return self._end_as_asked(gathered)
        return _end_run("stopped", gathered.exit_code) if gathered.stop else _end_run("finished", 0)

    def _await_others(self) -> RunEnded | None:
        """The end of a run that has finished; None where others have not, and begin again."""
        awaited = self._desk.company.await_others(self._pause)
        if awaited is None:
            return None
        return _end_run("finished", 0) if awaited == "finished" else self._end_as_asked(awaited)

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
                seen = self._live.run()
                self._desk.company.note_exit(seen)
                return seen
            self._say(f"cannot start the training: {problem}. Trying again.")
            if asked := self._pause(_UNWRITABLE_SECONDS):
                return self._end_as_asked(asked)
        self._say("cannot start the training. fitguard gives up.")
        return _end_run("stopped", 1)

    def _examine(self, seen: Observation, attempt: int) -> Postmortem:
        record = self._desk.record
        before, after = self._kills_before, cgroup.oom_kills()
        kills = after - before if before is not None and after is not None else None
        events = record.events()
        postmortem = examine_end(seen, attempt, events, killed_by_kernel=kills)
        postmortem = self._desk.company.judge(seen, postmortem, events, self._pause)
        if postmortem.failed is not None:
            record.add(postmortem.failed)
        record.add(postmortem.event)
        return postmortem

    def _end_undecided(self, seen: Observation, postmortem: Postmortem) -> RunEnded | None:
        """The end of the run, where there is nothing to decide."""
        how, status = postmortem.event.outcome, seen.exit_status
        if how == "finished":
            return self._await_others()
        if how == "preempted" or (how == "interrupted" and self._options.judge is not None):
            return self._end_as_asked(how)
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

    def _decide(
        self, orders: Orders, postmortem: Postmortem, probed: "ProbeReport | None" = None
    ) -> "Next":
        # Loaded only now: a run without a fault needs none of the policy.
        from fitguard.environment.machine import view_machine
        from fitguard.supervise.deciding import DecideOptions, decide
        from fitguard.supervise.past_attempts import list_past_attempts

        options, record, company = self._options, self._desk.record, self._desk.company
        if (following := company.follow(orders, postmortem)) is not None:
            return following
        allowed = DecideOptions(
            max_attempts=options.max_attempts,
            allow=options.allow,
            exact_only=options.exact_only,
            from_outside_only=options.from_outside_only,
        )
        machine = view_machine({**self._desk.environment, **orders.environment})
        return decide(
            list_past_attempts(record.events(), postmortem.xids, company.find_saved()),
            orders,
            allowed,
            msgspec.structs.replace(machine, probed=probed),
        )

    def _probe(self, orders: Orders, cause: str) -> "ProbeReport | Asked":
        from fitguard.supervise.probing_again import probe_before_restart

        return probe_before_restart(self._desk, orders, cause)

    def _tell_decision(self, following: "Next", postmortem: Postmortem) -> None:
        self._say(following.text)
        self._desk.record.add(build_decision(postmortem.event.attempt, following))
        self._desk.company.tell_decision(following)
        if following.stop:
            for line in telling.describe_diagnosis(postmortem, explained=following.explained):
                self._say(line)

    def _end_as_asked(self, asked: Asked) -> RunEnded:
        if self._options.judge is not None:
            return _end_run(asked, self._options.judge(self._desk.folder))
        interrupted = asked == "interrupted"
        return _end_run(asked, INTERRUPTED if interrupted else self._options.preempt_exit_code)


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
