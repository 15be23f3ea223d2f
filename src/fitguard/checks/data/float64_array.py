"""A large array of float64 is copied to float32 in full before training begins."""

from collections.abc import Iterator

from fitguard.checks.data.derived.sources import sources_by_split
from fitguard.checks.data.derived.wording import format_field, quote_field
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Field
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.hardware import Host
from fitguard.words import size

_LARGE_BYTES = 2 * 2**30


@check("FG608", "float64-array")
def float64_array(data: DataFacts, host: Host | None = None) -> Iterator[Finding]:
    """
    ## What it means
    NumPy and pandas compute in float64, Keras in float32. What the model sees is float32 in either
    case; the other half of each number takes memory and serves nothing.

    ## Why training crashes
    `fit` casts such an array as a whole before the first step: for a moment, and often to the end,
    the host holds the float64 array and the float32 copy, 1.5 times the array. Where memory is
    short the process is killed without a message. A memory-mapped file is read in full for it.

    ## How to fix it
    Make it float32 where it is made or loaded: `numpy.load(…).astype("float32")`,
    `pandas.read_csv(…, dtype="float32")`, `numpy.random.default_rng().random(…, dtype="float32")`.
    Then free the float64 array (`del`) before `fit`.

    ## When this is wrong
    With `keras.config.set_floatx("float64")` nothing is cast. Small arrays are not reported: only
    those of 2 GiB and more, or of more than a quarter of the memory that is free.

    ## References
    - Keras, source of `array_slicing.convert_to_sliceable`: floats are cast to `floatx`
    - Tried with Keras 3.15 and tf_keras 2.21: traced memory grows by at least half the array
    """
    if data.model.compute_dtype == "float64":
        return
    sources = sources_by_split(data)
    for field in data.fields:
        source = sources.get(field.split)
        if source is None or source.kind != "arrays" or not field.dtype.endswith("float64"):
            continue
        if _large(field, host):
            yield _finding(field, host)


def _large(field: Field, host: Host | None) -> bool:
    if field.size_bytes is None:
        return False
    free = host.available_bytes if host else None
    return field.size_bytes >= _LARGE_BYTES or (free is not None and field.size_bytes > free // 4)


def _finding(field: Field, host: Host | None) -> Finding:
    whole = field.size_bytes or 0
    memory = (
        (Evidence(f"{size(host.available_bytes)} are free", "memory of the machine"),)
        if host and host.available_bytes is not None
        else ()
    )
    return Finding(
        severity="warning",
        title=f"{format_field(field)} is float64, {size(whole)}: fit makes a float32 copy of "
        f"{size(whole // 2)} besides",
        evidence=(quote_field(field), *memory),
        fix=Fix(
            f"Give float32: {field.name} = {field.name}.astype('float32'), best where it is made."
        ),
    )
