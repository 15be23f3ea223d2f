"""The commands of fitguard that go on from a diagnosis, with what is known of the training."""

from collections.abc import Sequence
from typing import NamedTuple

from fitguard import shell
from fitguard.causes.derived.gpu_memory import gpu_memory
from fitguard.crash.command import UNKNOWN_COMMAND, TrainingCommand
from fitguard.environment.supposition import suppose
from fitguard.knowledge import knowledge
from fitguard.knowledge.gpus import USUAL_CAPABILITY
from fitguard.schema.crash import Story
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu
from fitguard.schema.versions import parse

_MIB = 2**20
_MOST_OF_IT = 0.8
"""An empty card leaves TensorFlow a larger share than this."""


class Training(NamedTuple):
    """What is known of the training beside its story.

    Args:
        command: What was started; None where nothing tells.
        guarded: Whether it ran under `fitguard run` already.
        batch_size: Of the `fit` call in which it died.
    """

    command: TrainingCommand | None = None
    guarded: bool = False
    batch_size: int | None = None


def run_command(facts: Facts, training: Training) -> str:
    """`fitguard run` in front of the same command."""
    command = training.command or UNKNOWN_COMMAND
    return f"fitguard run {_format_command(facts, command.words) or 'train.py'}"


def plan_command(story: Story, training: Training) -> str | None:
    """With the numbers of this log; None where a module was started, which `plan` cannot read."""
    command = training.command or UNKNOWN_COMMAND
    options = ["--batch-size", str(training.batch_size)] if training.batch_size else []
    return _look_command("plan", command, [*options, *_card(story)], story.facts)


def data_command(story: Story, training: Training) -> str | None:
    """The same for `fitguard data`."""
    return _look_command("data", training.command or UNKNOWN_COMMAND, [], story.facts)


def _look_command(
    name: str, command: TrainingCommand, options: Sequence[str], facts: Facts
) -> str | None:
    if command.script is None:
        return None
    behind = ["--", *command.arguments] if command.arguments else []
    shown = _format_command(facts, [command.script, *options, *behind])
    return f"fitguard {name} {shown}" if shown else None


def _card(story: Story) -> list[str]:
    """The card by name or size; where TensorFlow had much less of it, what was free."""
    card = next(iter(story.facts.gpus or ()), Gpu())
    named = ["--gpu", card.name] if card.name and _is_one_model(card.name) else []
    card_bytes = card.memory_bytes or min(_sizes_bytes(named), default=0)
    if not named and card_bytes:
        named = ["--gpu-memory", f"{card_bytes // _MIB}MiB"]
    pool_bytes = _pool_bytes(story)
    if not pool_bytes or pool_bytes > _MOST_OF_IT * card_bytes > 0:
        return named
    major = parse(card.compute_capability or USUAL_CAPABILITY)[0]
    free_bytes = knowledge().gpu_memory.free_for_pool_bytes(pool_bytes, major)
    return [*named, "--free", f"{free_bytes // _MIB}MiB"]


def _sizes_bytes(named: Sequence[str]) -> list[int]:
    models = knowledge().gpus.find(named[1]) if named else ()
    return [size for model in models for size in knowledge().gpu_memory.sizes_bytes(model)]


def _pool_bytes(story: Story) -> int:
    """What TensorFlow had of the card: by the dump of its allocator, or by its first words."""
    state = gpu_memory(story).state
    if state is not None and state.limit_bytes:
        return state.limit_bytes
    created = story.first("device-created")
    return int(created.values.get("memory_mb", 0)) * _MIB if created else 0


def _is_one_model(name: str) -> bool:
    gpus = knowledge().gpus
    return bool(gpus.find(name)) and not gpus.is_series(name)


def resolve_command(story: Story) -> str | None:
    """For the machine of the log, as far as it is known."""
    known = [f"{key}={value}" for key, value in _machine(story.facts).items()]
    shown = _format_command(story.facts, known)
    if shown is None:
        return None
    return f"fitguard resolve --what-if {shown}" if known else "fitguard resolve"


def _machine(facts: Facts) -> dict[str, str]:
    """The keys of `--what-if` that tell of the machine and of its Python."""
    card = next(iter(facts.gpus or ()), None)
    told = {
        "gpu": card.name if card else None,
        "compute-capability": card.compute_capability if card else None,
        "driver": facts.driver.version if facts.driver else None,
        "os": _system(facts),
        "python": facts.python.version if facts.python else None,
    }
    known: dict[str, str] = {}
    for key, value in told.items():
        if value and _is_accepted({**known, key: value}):
            known[key] = value
    if "gpu" in known:
        known.pop("compute-capability", None)
    return known


def _is_accepted(keys: dict[str, str]) -> bool:
    """What people write may be vaguer than what `resolve` takes."""
    try:
        suppose(keys)
    except UsageError:
        return False
    return True


def _system(facts: Facts) -> str | None:
    platform = facts.platform
    if platform is None:
        return None
    if platform.wsl:
        return "wsl2"
    if platform.system == "linux":
        return f"linux-{platform.machine}" if platform.machine else None
    return platform.system


def _format_command(facts: Facts, words: Sequence[str]) -> str | None:
    """Quoted for the shell; None where that of Windows has no way to write a word."""
    quoted = [shell.path(facts, word) for word in words]
    return None if None in quoted else " ".join(word for word in quoted if word is not None)
