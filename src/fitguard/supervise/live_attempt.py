"""One training process, from its start to its end: output, signals, signs of life."""

import signal
import time
from dataclasses import dataclass
from typing import Literal

from fitguard.facts.processes import Process, shares_kernel_numbers
from fitguard.monitor.heartbeat import Heartbeat
from fitguard.monitor.journal import now
from fitguard.monitor.last_moments import Moment, read_last_moments
from fitguard.monitor.sampling.sampler import Sampler
from fitguard.schema.journal import AttemptStarted, Noted, NoteKind, Orders
from fitguard.schema.run import Place
from fitguard.supervise.allocation_failures import AllocationFailures
from fitguard.supervise.autotuned.flags import VARIABLE
from fitguard.supervise.autotuned.giving import Autotuned, give_results
from fitguard.supervise.autotuning import AutotuningWatch
from fitguard.supervise.child import Child, ExitStatus
from fitguard.supervise.departure import TERMINATING, Departure, Reason
from fitguard.supervise.desk import LEAVING, Cancel, Desk
from fitguard.supervise.inbox import Received
from fitguard.supervise.options import CARD_VARIABLE, HEAD_VARIABLE, NOTIFY_VARIABLE
from fitguard.supervise.output import Output
from fitguard.supervise.variables import select_allowed_variables
from fitguard.supervise.vigil import Vigil
from fitguard.words import short

TICK_SECONDS = 0.1
_INTERRUPTS = (signal.SIGINT, signal.SIGQUIT)
_LONGEST_CARD = 200


@dataclass(frozen=True)
class Observation:
    """What the parent saw of an attempt, once it has ended.

    Args:
        reason: Why it was made to leave, if it was.
        evidence: What was seen of that.
        foreseen: The cause that would have ended it, where it left before that.
        leaks: What leaked at the end, by code of the alert.
        told_to_end: It had not come to its end when it was asked to leave.
        output: The end of what it wrote.
        since_seconds: When it began, by `time.monotonic`.
        reader_gone: Nobody reads its output any more.
        stuck: Not even SIGKILL ended it.
        relatives: It and its descendants, as they were seen last.
        last_moments: What the flight record tells of its last minutes.
        memory_limit_bytes: That it was allowed to take of each GPU; None without a limit.
        numbers: Of these and their threads, with the time when each was last seen; empty where the
            kernel has others for them.
        stepped: It did a step of the `fit` that it was in.
        autotuned: What XLA began with, and what it leaves to those that come.
    """

    exit_status: ExitStatus
    reason: Reason | None
    evidence: tuple[str, ...]
    foreseen: str
    leaks: dict[str, str]
    forwarded: frozenset[int]
    told_to_end: bool
    place: Place
    output: bytes
    since_seconds: float
    reader_gone: bool
    stuck: bool
    relatives: tuple[Process, ...]
    last_moments: tuple[Moment, ...]
    memory_limit_bytes: int | None
    numbers: dict[int, float]
    peak_host_bytes: int
    peak_gpu_bytes: int
    stepped: bool = False
    autotuned: Autotuned | None = None


class LiveAttempt:
    """Starts a child and stays with it.

    Args:
        orders: What the child is told; they are on disk already.

    Attributes:
        output: What it writes.

    Raises:
        OSError: where it cannot be started.
    """

    def __init__(self, desk: Desk, orders: Orders) -> None:
        self._desk = desk
        self._attempt = orders.attempt
        self._memory_limit_bytes = orders.memory_limit_bytes
        self._since = time.monotonic()
        self._log_from = desk.log.position
        self._autotuning = AutotuningWatch(desk.options.autotuning_seconds)
        self._heartbeat = Heartbeat(desk.folder.heartbeat, create=True)
        self._failures = AllocationFailures()
        self.output = Output(desk, self._hear)
        self._child = self._start_child(orders)
        self.output.start()
        self._departure = Departure(
            self._child,
            lambda: self._wish("leave"),
            self._desk.measure_grace(),
            echoes=desk.options.is_headed,
        )
        self._vigil = Vigil(
            desk,
            orders.attempt,
            self._heartbeat,
            self._autotuning,
            save=lambda: self._wish("snapshot"),
        )
        self._sampler = Sampler(
            self._child.pid,
            desk.folder.flight_records / "parent.record",
            attempt=orders.attempt,
            count_steps=lambda: self._heartbeat.read().place.total_steps,
            count_failures=lambda: self._failures.count,
            read_signs=self._read_signs,
            disk=desk.folder.path,
        )
        self._was_answering = False

    def _wish(self, wish: Literal["snapshot", "leave"]) -> None:
        self._desk.company.wish(wish, self._heartbeat)

    def _read_signs(self) -> dict[str, float | None]:
        beat = self._heartbeat.read()
        return {"beats": beat.count, "fitting": beat.phase not in ("starting", "idle")}

    def _hear(self, data: bytes) -> None:
        self._autotuning.hear(data)
        self._failures.hear(data)

    def _start_child(self, orders: Orders) -> Child:
        argv, stdin = self._desk.command.argv(self._desk.folder.path), self._desk.stdin
        environment = self._build_environment(orders)
        stdin.rewind()
        try:
            child = Child.start(argv, environment, self.output.channels, stdin.kept)
        except OSError:
            self.output.close()
            raise
        card = short(environment.get(CARD_VARIABLE, ""), _LONGEST_CARD)
        self._desk.record.add(
            AttemptStarted(
                time=now(), attempt=orders.attempt, pid=child.pid, orders=orders, card=card
            )
        )
        if given := str(self._autotuned or ""):
            self._note("autotuning", f"XLA begins with {given}.")
        return child

    def _build_environment(self, orders: Orders) -> dict[str, str]:
        """Sets come in the same order in each attempt, unless the user chose an order."""
        order = {"PYTHONHASHSEED": str(orders.seed % 2**32)}
        allowed = select_allowed_variables(orders.environment)
        if strange := sorted(orders.environment.keys() - allowed.keys()):
            self._desk.say(
                f"{self._desk.folder.orders} sets {', '.join(strange)}, which fitguard never "
                "writes there. It is left out."
            )
        own = self._desk.stdin.environment
        company = self._desk.company.environment
        whole = {**order, **self._desk.environment, **allowed, **own, **company}
        if orders.memory_limit_bytes is not None:
            # Loaded only now: most runs may take all the memory there is.
            from fitguard.supervise.cpu_limit import limit_cpu

            whole |= limit_cpu(whole, orders.memory_limit_bytes)
        self._autotuned = give_results(
            self._desk.folder,
            orders.attempt,
            self._desk.command,
            whole,
            orders.memory_limit_bytes,
        )
        if self._autotuned is not None:
            whole[VARIABLE] = self._autotuned.flags
        # Addresses in it are secrets, and a script may print its environment.
        whole.pop(NOTIFY_VARIABLE, None)
        whole.pop(HEAD_VARIABLE, None)
        return whole

    @property
    def is_called_away(self) -> bool:
        """Whether the user wants the run to end."""
        return self._departure.reason in ("interrupted", "preempted")

    @property
    def asked_seconds(self) -> float:
        """Since the child was asked to leave; 0 where it was not."""
        return self._departure.asked_seconds

    def run(self) -> Observation:
        """Stay until the child has ended."""
        self._sampler.start()
        try:
            exit_status = self._watch()
        except BaseException:
            self._child.send(signal.SIGKILL)
            raise
        finally:
            self._sampler.stop()
            self._drain()
        return self._observe(exit_status)

    def _watch(self) -> ExitStatus:
        while True:
            exit_status = self._child.poll()
            self._take_all(0 if exit_status else TICK_SECONDS)
            if exit_status is not None:
                return exit_status
            self._desk.lease.check()
            self._desk.company.look(self._heartbeat, self._departure)
            if self._was_answering and not self._heartbeat.read().answering:
                self._departure.hurry()
            self._departure.press()
            if self._departure.stuck:
                return ExitStatus(signal="SIGKILL")
            if self._departure.reason in (None, "planned", "followed"):
                stalled = self.output.is_stalled
                self._vigil.look(self._child, self._departure, stalled=stalled)
            self._tell_missing()

    def _tell_missing(self) -> None:
        """What cannot be measured here; once in a run."""
        for sentence in self._sampler.take_missing():
            events = self._desk.record.events()
            told = (event.text for event in events if isinstance(event, Noted))
            if sentence not in told:
                self._desk.say(sentence)
                self._note("sampling", sentence)

    def _note(self, kind: NoteKind, text: str) -> None:
        note = Noted(time=now(), attempt=self._attempt, kind=kind, text=text)
        self._desk.record.add(note)

    def _drain(self) -> None:
        if asked := self.output.drain(called_away=self.is_called_away):
            self._departure.note_too_late(asked)
        if not self.output.is_drained:
            self._desk.say("nobody read the last output of the training.")

    def _take_all(self, seconds: float) -> None:
        for cancel in self._desk.take_cancels():
            self._obey(cancel)
        received = self._desk.inbox.wait(seconds)
        while received is not None:
            self._take(received)
            received = self._desk.inbox.wait(0)

    def _take(self, received: Received) -> None:
        number = received.number
        if received.ignored:
            self._pass_on(received)
        elif number in _INTERRUPTS:
            self._interrupt(number, forward=received.to_us_alone)
        elif number in (*TERMINATING, *self._desk.options.preempt_signals):
            self._terminate(number)
        elif number in (signal.SIGWINCH, signal.SIGCONT):
            self.output.copy_window_size()
            self._child.send(number)
        elif number == signal.SIGCHLD:
            self._desk.orphans.reap(self._child.pid)
        else:
            self._pass_on(received)

    def _pass_on(self, received: Received) -> None:
        if received.to_us_alone:
            self._departure.forward(received.number)

    def _obey(self, cancel: Cancel) -> None:
        if cancel in LEAVING:
            self._leave(LEAVING[cancel])
        elif cancel == "kill":
            self._departure.kill()
        else:
            self._interrupt(signal.SIGINT, forward=cancel == "interrupt")

    def _interrupt(self, number: int, *, forward: bool) -> None:
        sent = self._departure.interrupt(number, forward=forward)
        if sent in (signal.SIGTERM, signal.SIGKILL):
            self._desk.say(f"interrupted again: {signal.Signals(sent).name} to the training.")

    def _terminate(self, number: int) -> None:
        """What has nothing to save is not made to wait: it gets the signal, as without us."""
        name, grace = signal.Signals(number).name, self._desk.measure_grace()
        at_once = number if number in TERMINATING else signal.SIGTERM
        if self._heartbeat.read().answering:
            self._leave(name)
        elif self._departure.leave("preempted", grace, at_once=at_once):
            self._desk.say(
                f"{name}: no fit is running, so no snapshot is taken. The script stops, within "
                f"{grace:g} s."
            )

    def _leave(self, why: str) -> None:
        grace = self._desk.measure_grace()
        if self._departure.leave("preempted", grace):
            self._was_answering = self._heartbeat.read().answering > 0
            self._desk.say(f"{why}: {self._desk.command.leaving}, within {grace:g} s.")

    def _collect_numbers(self) -> dict[int, float]:
        return {**self._sampler.numbers, self._child.pid: time.monotonic()}

    def _observe(self, exit_status: ExitStatus) -> Observation:
        sampler = self._sampler
        beat = self._heartbeat.read()
        self._heartbeat.close()
        return Observation(
            exit_status=exit_status,
            reason=self._departure.reason,
            evidence=self._vigil.evidence(),
            foreseen=self._vigil.foreseen,
            leaks=self._vigil.leaks,
            forwarded=frozenset(self._departure.forwarded),
            told_to_end=self._departure.terminated or self._was_answering,
            place=beat.place,
            output=self._desk.log.tail(self._log_from),
            since_seconds=self._since,
            reader_gone=self.output.reader_gone,
            stuck=self._departure.stuck,
            relatives=tuple(sampler.relatives),
            last_moments=tuple(read_last_moments(self._desk.folder, self._attempt)),
            memory_limit_bytes=self._memory_limit_bytes,
            numbers=self._collect_numbers() if shares_kernel_numbers() else {},
            peak_host_bytes=max(exit_status.peak_bytes, sampler.peak_host_bytes),
            peak_gpu_bytes=sampler.peak_gpu_bytes,
            stepped=beat.steps_here > 0,
            autotuned=self._autotuned,
        )
