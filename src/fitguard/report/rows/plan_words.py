"""A plan in sentences: whether the step fits, and how the three numbers differ."""

from fitguard.report.blocks import Tone
from fitguard.schema.plan import Card, Plan, Range
from fitguard.words import join, short, size

LONGEST_NAME = 60
MODES = {"graph": "graph", "xla": "XLA"}
THREE_NUMBERS = (
    "The step runs in the required memory. If there is room, it takes the comfortable one. "
    "nvidia-smi shows that of the process: nearly the whole card, unless memory growth is on."
)
_ANSWERS = {True: "Fits", False: "Does not fit", None: "Not sure"}
_TONES: dict[bool | None, Tone] = {True: "fine", False: "error", None: "warning"}


def verdict(plan: Plan) -> str:
    """Whether it fits, with the numbers, in one sentence."""
    if plan.card is None:
        return f"A {batch(plan)} needs {stretch(plan.required_bytes)} of GPU memory{_each(plan)}"
    return (
        f"{_ANSWERS[plan.fits]}: a {batch(plan)} needs {stretch(plan.required_bytes)}"
        f"{_each(plan)}, usable: {size(plan.card.usable_bytes)}"
    )


def tone(plan: Plan) -> Tone:
    """The color of the answer."""
    return _TONES[plan.fits] if plan.card else "info"


def batch(plan: Plan) -> str:
    """`batch of 64`, with the part of each GPU where there are several."""
    replicas = plan.step.replicas
    part = -(-plan.batch_size // replicas) if replicas > 1 else 0
    shared = f" ({part:,} on each of {replicas} GPUs)" if part else ""
    return f"batch of {plan.batch_size:,}{shared}"


def _each(plan: Plan) -> str:
    return " on each" if plan.step.replicas > 1 else ""


def card_name(card: Card) -> str:
    """Its name and its size, or the size alone where only that was given."""
    return join([short(card.name, LONGEST_NAME), size(card.memory_bytes)])


def stretch(span: Range) -> str:
    """`5.8 GiB (5.5 to 6.2)`."""
    told, unit = ends(span), size(span.likely).rpartition(" ")[2]
    return f"{size(span.likely)} ({told.removesuffix(f' {unit}')})" if told else size(span.likely)


def ends(span: Range) -> str:
    """`5.5 to 6.2 GiB`, each with its own unit where the two differ; empty where they are one."""
    if span.low == span.high:
        return ""
    low, high = size(span.low), size(span.high)
    unit = high.rpartition(" ")[2]
    return f"{low.removesuffix(f' {unit}')} to {high}"


def parts(plan: Plan) -> str:
    """How the micro-batch makes up the batch."""
    micro = plan.micro_batch_size or 1
    return f"{micro:,}, adding up the gradients of {-(-plan.batch_size // micro):,} of them"


def planning_time(plan: Plan) -> str:
    """How long it took."""
    ran = "" if plan.measured else ", without running a step"
    return f"Planned in {plan.seconds:.1f} s{ran}."
