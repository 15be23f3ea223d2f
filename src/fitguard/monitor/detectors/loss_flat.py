"""The loss does not move any more."""

from fitguard.monitor.detectors.framework.course import find_first_step
from fitguard.monitor.detectors.framework.registry import Alert, detector
from fitguard.monitor.detectors.framework.settings import Settings
from fitguard.monitor.flight_record import INFINITE, FlightRecord
from fitguard.schema.finding import Evidence, Fix
from fitguard.words import duration, number


@detector("FG515", "loss-flat")
def loss_flat(record: FlightRecord, settings: Settings) -> Alert | None:
    """
    ## What it means
    The loss is the same number for minutes, to six digits. Each step sees other data, so a loss
    that is computed from them moves. Most likely the output of the model is constant: dead units, a
    learning rate of 0, labels that are all the same.

    ## How it is judged
    Highest and lowest loss of the last 15 minutes, over 500 steps at least, differ by less than a
    millionth of it.

    ## How to fix it
    Look at the predictions of some samples: are they all the same? Use a smaller learning rate,
    another initializer or activation; look at the labels with `fitguard data`; look whether the
    layers are trainable.

    ## When this is wrong
    A model that has learned its data by heart has a loss of 0. Then you can stop. The mean over a
    very long epoch (a million steps) moves slowly too.

    ## References
    - Keras: `Model.fit` logs the mean of the loss over the epoch so far
    """
    first_step = find_first_step(record)
    begin = record.last_time - settings.flat_seconds
    if first_step is None or begin < first_step:
        return None
    loss = record.get("loss").since(begin)
    if len(loss) < settings.flat_seconds / settings.bucket_seconds / 2:
        return None
    steps = loss.steps[-1] - loss.steps[0]
    low, high = min(loss.low), max(loss.high)
    if steps < settings.flat_steps or high - low > settings.flat_share * max(abs(high), abs(low)):
        return None
    if abs(high) >= INFINITE:  # nan: another detector's
        return None
    seconds = loss.times[-1] - loss.times[0]
    text = f"It is {high:.6g} for {duration(seconds)} and {number(steps)} steps."
    return Alert(
        severity="warning",
        confidence="medium",
        title="The loss does not move any more",
        evidence=(Evidence(text, "Keras"),),
        fix=Fix(
            "Look whether all predictions are the same. Use a smaller learning rate or another "
            "activation, and look at the labels: fitguard data.",
            changes_results=True,
        ),
        numbers={"loss": high, "steps": steps},
    )
