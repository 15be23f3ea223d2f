"""The loss is nan or infinite."""

from fitguard.monitor.detectors.framework.registry import Alert, detector
from fitguard.monitor.detectors.framework.settings import Settings
from fitguard.monitor.flight_record import INFINITE, FlightRecord
from fitguard.schema.finding import Evidence, Fix
from fitguard.words import number


@detector("FG514", "loss-nan", cause="numeric-nan")
def loss_nan(record: FlightRecord, _: Settings) -> Alert | None:
    """
    ## What it means
    The loss became nan or infinite. The weights most likely are nan too: the training computes on,
    and learns nothing more.

    ## How it is judged
    By the loss that Keras logs, as soon as it is no number.

    ## How to fix it
    Stop it. Use a smaller learning rate, clip the gradients (`clipnorm=1.0` of the optimizer), and
    look for nan in the data with `fitguard data`. `keras.callbacks.TerminateOnNaN()` stops at once.

    ## When this is wrong
    A mean over the epoch stays nan after a single nan; the next epoch shows whether it was one.

    ## References
    - `fitguard explain numeric-nan`
    """
    loss = record.get("loss")
    if not len(loss) or loss.last[-1] < INFINITE:
        return None
    first = len(loss) - 1
    while first > 0 and loss.last[first - 1] >= INFINITE:
        first -= 1
    before = f" It was {loss.last[first - 1]:.4g} before." if first else ""
    return Alert(
        severity="error",
        title="The loss is nan or infinite",
        evidence=(
            Evidence(f"Since step {number(loss.steps[first])} or shortly before.{before}", "Keras"),
        ),
        fix=Fix(
            "Use a smaller learning rate, clip the gradients (clipnorm=1.0), and look for nan in "
            "the data: fitguard data.",
            changes_results=True,
        ),
        numbers={"step": loss.steps[first]},
    )
