"""A moment of a training in words: where it is, how fast, what it holds."""

from collections.abc import Callable, Iterable, Iterator

from fitguard.report.blocks import Row, Span, Table, Tone, Words
from fitguard.report.rows.run_speed import say_speed
from fitguard.report.rows.run_words import TONES, command, name_state, value
from fitguard.report.rows.run_words import moment as say_moment
from fitguard.report.rows.tables import drop_empty_columns
from fitguard.schema.run_command import is_soak
from fitguard.schema.watch import Watch
from fitguard.words import count, duration, join, percent, short, size

LONGEST_COMMAND = 300
LONGEST_NAME = 40
MOST_LOGS = 6
GAUGE = 12
FULL, NEARLY = 0.95, 0.85
"""Shares of what can be had from which on memory is marked."""


def say_state(moment: Watch) -> str:
    """`Running: epoch 3 of 20, step 120 of 400`."""
    state = _name_state(moment)
    doing = "" if moment.phase in ("", "training") else moment.phase
    return ": ".join(part for part in (state, join([doing, say_place(moment)])) if part)


def _name_state(moment: Watch) -> str:
    return "Ended" if moment.state == "ended" else name_state(moment.state, moment.command)


def choose_tone(moment: Watch) -> Tone:
    """Of the verdict."""
    return "info" if moment.state == "ended" else TONES[moment.state]


def say_place(moment: Watch) -> str:
    """`epoch 3 of 20, step 120 of 400`, with what is known of it."""
    at = moment.place
    if not at.fit:
        return ""
    if is_soak(moment.command):
        return f"computation {at.total_steps:,}"
    epochs = f" of {moment.epochs:,}" if moment.epochs else ""
    steps = f" of {moment.steps_per_epoch:,}" if moment.steps_per_epoch else ""
    if not at.step and at.epoch:
        return f"end of epoch {at.epoch:,}{epochs}"
    return f"epoch {at.epoch + 1:,}{epochs}, step {at.step:,}{steps}"


def moment_rows(moment: Watch) -> list[Row]:
    """Labels and values."""
    rows = [
        ("Command", short(command(moment.command), LONGEST_COMMAND)),
        ("Run", moment.id),
        ("Attempt", join([str(moment.attempt), _say_process(moment)]) if moment.attempt else ""),
        ("Time", _say_time(moment)),
        ("Speed", join([say_speed(moment.steps_per_second or 0), _say_input(moment)])),
        ("Time left", _say_left(moment)),
        ("Last", _say_logs(moment)),
        *((f"GPU {index}", _say_gpu(moment, index)) for index in list_gpus(moment)),
        ("Process", _say_host(moment)),
    ]
    return [(name, text) for name, text in rows if text]


def memory_table(moment: Watch) -> Table:
    """What is in use, what at most, of how much; a narrow console gives up the second column."""
    rows = tuple(_list_memory(moment))
    return drop_empty_columns(Table(("memory", "may have", "in use", "at most", "share"), rows))


def overview_table(moments: Iterable[Watch], chosen: str, link: Callable[[str], str]) -> Table:
    """Many runs at a glance, one row each.

    Args:
        chosen: The id of the one that is shown whole.
        link: From an id to the address where that one is shown.
    """
    headers = ("run", "state", "at", "speed", "time left", "memory", "last", "alerts")
    rows = tuple(
        (
            Span(one.id, "strong") if one.id == chosen else Span(one.id, link=link(one.id)),
            Span(_name_state(one), tone=choose_tone(one)),
            _say_briefly(one) if one.state == "running" else "",
            say_speed(one.steps_per_second or 0) if one.state == "running" else "",
            "" if one.seconds_left is None else duration(one.seconds_left),
            _say_memory(one),
            _say_logs(one, 1),
            Span(f"{len(one.alerts)}", tone="warning") if one.alerts else "",
        )
        for one in moments
    )
    return drop_empty_columns(Table(headers, rows))


def _say_briefly(moment: Watch) -> str:
    """How far it is; of many epochs, the number is enough."""
    several = (moment.epochs or 0) > 1 and moment.place.fit
    return say_place(moment).partition(",")[0] if several else say_place(moment)


def _say_memory(moment: Watch) -> str:
    held = moment.values.get("allocator_peak_bytes", moment.values.get("host_bytes"))
    return "" if held is None or moment.state != "running" else size(int(held))


def list_gpus(moment: Watch) -> list[int]:
    """Indices of the GPUs that were measured."""
    found = {name.partition(":")[2] for name in moment.values}
    return sorted(int(index) for index in found if index.isdecimal())


def _list_memory(moment: Watch) -> Iterator[tuple[Words, ...]]:
    get = moment.values.get
    peak = get("allocator_peak_bytes")
    yield from _describe(
        "TensorFlow's allocator", get("allocator_bytes"), peak, get("allocator_limit_bytes")
    )
    for index in list_gpus(moment):
        total = get(f"gpu_total_bytes:{index}")
        own = get(f"gpu_process_bytes:{index}")
        yield from _describe(f"GPU {index}, this training", own, None, total)
        yield from _describe(
            f"GPU {index}, all processes", get(f"gpu_used_bytes:{index}"), None, total
        )
    yield from _describe("Host", get("host_bytes"), None, get("host_limit_bytes"))


def _describe(
    name: str, held: float | None, most: float | None, limit: float | None
) -> Iterator[tuple[Words, ...]]:
    if held is None:
        return
    share = max(held, most or 0) / limit if limit else 0.0
    yield (
        name,
        size(int(limit)) if limit else "",
        size(int(held)),
        "" if most is None else size(int(most)),
        _draw_gauge(share) if limit else "",
    )


def _draw_gauge(share: float) -> Span:
    """`████████░░░░ 66 %`."""
    filled = min(max(round(share * GAUGE), 0), GAUGE)
    tone: Tone = "error" if share >= FULL else "warning" if share >= NEARLY else "fine"
    said = percent(round(share * 1000), 1000)
    return Span(f"{'█' * filled}{'░' * (GAUGE - filled)} {said}", tone=tone)


def _say_time(moment: Watch) -> str:
    if not moment.started:
        return ""
    return f"{duration(moment.seconds)} since {say_moment(moment.started)[:-6]}"


def _say_process(moment: Watch) -> str:
    return f"process {moment.pid}" if moment.pid and moment.state == "running" else ""


def _say_input(moment: Watch) -> str:
    step, waiting = moment.values.get("step_seconds"), moment.values.get("input_seconds")
    if not step or waiting is None or waiting > step:
        return ""
    return f"{percent(round(1e6 * waiting), round(1e6 * step))} of it waiting for data"


def _say_left(moment: Watch) -> str:
    if moment.seconds_left is None or moment.steps_left is None:
        return ""
    return f"about {duration(moment.seconds_left)}, {count(moment.steps_left, 'step')}"


def _say_logs(moment: Watch, most: int = MOST_LOGS) -> str:
    shown = list(moment.logs.items())[:most]
    return join(
        f"{short(name, LONGEST_NAME)} {'nan' if number is None else value(number)}"
        for name, number in shown
    )


def _say_gpu(moment: Watch, index: int) -> str:
    def get(name: str) -> float | None:
        return moment.values.get(f"{name}:{index}")

    busy, warm = get("gpu_busy_ratio"), get("gpu_temperature")
    return join(
        [
            None if busy is None else f"{busy:.0%} busy".replace("%", " %"),
            None if warm is None else f"{warm:.0f} °C",
            _say_of(get("gpu_power"), get("gpu_power_limit"), "W"),
            _say_of(get("gpu_clock"), get("gpu_clock_limit"), "MHz", 1e-6),
        ]
    )


def _say_of(held: float | None, limit: float | None, unit: str, factor: float = 1.0) -> str | None:
    if held is None:
        return None
    return f"{held * factor:,.0f}{f' of {limit * factor:,.0f}' if limit else ''} {unit}"


def _say_host(moment: Watch) -> str:
    threads, files = moment.values.get("threads"), moment.values.get("open_files")
    free = moment.values.get("disk_free_bytes")
    return join(
        [
            None if moment.id else str(moment.pid),
            None if threads is None else count(round(threads), "thread"),
            None if files is None else count(round(files), "open file"),
            None if free is None else f"{size(int(free))} free for snapshots",
        ]
    )
