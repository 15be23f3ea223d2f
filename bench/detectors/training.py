"""A training in simulated time, as a flight record would show it: an entry for each 5 seconds."""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from fitguard.monitor.flight_record import Column, FlightRecord

BUCKET_SECONDS = 5.0
GIB = 2.0**30
HOUR = 3600.0
_KEPT_SECONDS = 4 * HOUR
_FIRST_STEP_SECONDS = 25.0


@dataclass
class Moment:
    """Where a training stands; kinds change what they are about.

    Args:
        seconds: Since the first step.
        phase: Share of the epoch that is done.
        steps: In these 5 seconds.
        low: What is in use between steps, as a share of the card; `peak` within them.
        slower: Times the usual time of a step.
    """

    noise: Random
    seconds: float
    epoch: int
    phase: float
    epoch_seconds: float
    steps: int
    evaluating: bool = False
    fit: int = 1
    fitting: bool = True
    low: float = 0.3
    peak: float = 0.6
    host: float = 0.3
    slower: float = 1.0
    wait: float = 0.03
    elements: float = 1.0
    new_traces: int = 0
    celsius: float = 65.0
    clock: float = 1.0
    throttle: int = 0
    corrected: int = 0

    def draw_least(self) -> float:
        """The least of numbers between 0 and 1, one for each step."""
        return 1 - self.noise.random() ** (1 / self.steps)


Kind = Callable[[Moment], None]


@dataclass(frozen=True)
class Plan:
    """What a training is like.

    Args:
        kinds: Change each moment, one after the other.
        evaluation_seconds: After each epoch.
    """

    card_bytes: float = 80 * GIB
    host_bytes: float = 256 * GIB
    step_seconds: float = 0.25
    epoch_seconds: float = 420.0
    evaluation_seconds: float = 0.0
    kinds: tuple[Kind, ...] = ()


@dataclass
class Recording:
    """Columns that grow."""

    columns: dict[str, tuple["array[float]", ...]] = field(default_factory=dict)

    def add(
        self, time: float, steps: float, values: Mapping[str, float | tuple[float, float]]
    ) -> None:
        """Take an entry; a pair is the lowest and the highest value."""
        for name, value in values.items():
            low, high = value if isinstance(value, tuple) else (value, value)
            parts = self.columns.setdefault(name, tuple(array("d") for _ in range(5)))
            for part, one in zip(parts, (time, steps, low, high, high), strict=True):
                part.append(one)

    def read(self, until: float) -> FlightRecord:
        """What the ring of four hours holds at a moment."""
        found = {}
        for name, parts in self.columns.items():
            first = bisect_left(parts[0], until - _KEPT_SECONDS)
            last = bisect_left(parts[0], until)
            if last > first:
                found[name] = Column(*(part[first:last] for part in parts))
        return FlightRecord(found)


def simulate(plan: Plan, hours: float, seed: int) -> Recording:
    """A training of so many hours."""
    noise = Random(seed)
    recording = Recording()
    steps = traces = beats = corrected = 0.0
    loss_noise = 0.0
    cycle = plan.epoch_seconds + plan.evaluation_seconds
    for number in range(int(hours * HOUR / BUCKET_SECONDS)):
        time = number * BUCKET_SECONDS
        seconds = time - _FIRST_STEP_SECONDS
        epoch = max(0, int(seconds // cycle))
        in_epoch = max(0.0, seconds - epoch * cycle)
        moment = Moment(
            noise=noise,
            seconds=seconds,
            epoch=epoch,
            phase=min(1.0, in_epoch / plan.epoch_seconds),
            epoch_seconds=plan.epoch_seconds,
            steps=max(1, int(BUCKET_SECONDS / plan.step_seconds)),
            evaluating=in_epoch >= plan.epoch_seconds,
        )
        for kind in plan.kinds:
            kind(moment)
        took = plan.step_seconds * moment.slower
        trains = moment.fitting and not moment.evaluating and seconds >= 0
        taken = BUCKET_SECONDS / took if trains else 0.0
        steps += taken
        beats += taken + (BUCKET_SECONDS if moment.evaluating else 0.0)
        traces += moment.new_traces + (2 if number == 5 else 0)
        corrected += moment.corrected
        loss_noise = 0.9 * loss_noise + noise.gauss(0, 0.02)
        low = moment.low * plan.card_bytes * (1 + 0.0005 * moment.draw_least())
        peak = max(low, moment.peak * plan.card_bytes)
        host = moment.host * plan.host_bytes * (1 + noise.uniform(0, 0.002))
        values: dict[str, float | tuple[float, float]] = {
            "fit": moment.fit,
            "epoch": epoch,
            "beats": beats,
            "fitting": float(moment.fitting),
            "traces": traces,
            "allocator_bytes": (low, peak),
            "allocator_low_bytes": (low, low * 1.02),
            "allocator_peak_bytes": (low, peak),
            "allocator_limit_bytes": plan.card_bytes,
            "host_bytes": host,
            "cgroup_bytes": host * 1.05,
            "host_limit_bytes": plan.host_bytes,
            "gpu_process_bytes:0": plan.card_bytes * 1.01,
            "gpu_used_bytes:0": plan.card_bytes * 1.02,
            "gpu_total_bytes:0": plan.card_bytes * 1.05,
            "gpu_busy_ratio:0": 0.95 if trains else 0.6,
            "gpu_temperature:0": moment.celsius + noise.uniform(-1, 1),
            "gpu_clock:0": 1.7e9 * moment.clock,
            "gpu_clock_limit:0": 1.98e9,
            "gpu_throttle_reasons:0": moment.throttle,
            "gpu_ecc_corrected:0": corrected,
            "gpu_ecc_uncorrected:0": 0.0,
        }
        if trains:
            values |= {
                "step_seconds": took,
                "slowest_step_seconds": took * 1.5,
                "input_seconds": took * min(1.0, moment.wait),
                "batch_elements": round(4096 * moment.elements),
                "loss": 0.2 + 2 / (1 + seconds / 600) + loss_noise / (1 + 20 * moment.phase),
            }
        recording.add(time, steps, values)
    return recording
