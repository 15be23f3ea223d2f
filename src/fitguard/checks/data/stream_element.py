"""The stream yields something that fit does not take."""

from collections.abc import Iterator

from fitguard.checks.data.derived.sources import named, opening
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Source
from fitguard.schema.finding import Evidence, Finding, Fix

_TAKEN = "x, (x,), (x, y) or (x, y, sample_weight)"


@check("FG613", "stream-element", requires={"FG612"})
def stream_element(data: DataFacts) -> Iterator[Finding]:
    """
    ## What it means
    An element of a stream is a batch: `(x, y)`, or `(x, y, sample_weight)`, or x alone where the
    model needs no labels. x and y may be arrays, or lists and dicts of arrays. This stream yields
    something else.

    ## Why training crashes
    More than three parts: *Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y,
    sample_weight)`*. A generator in Keras 3 must yield tuples: a list, a dict or a bare array stops
    it with *the generator must return a tuple*. Lists of numbers in place of arrays: *the arrays
    must be at least rank 1*.

    ## How to fix it
    Yield `x, y` as a tuple of NumPy arrays. Several inputs belong together in a list or dict:
    `yield (a, b), y`, not `yield a, b, y`, where y would be taken for the sample weights. Make
    arrays of lists: `numpy.array(rows)`.

    ## When this is wrong
    A model with a `train_step` of its own may read other elements from a `tf.data.Dataset`; this
    check then does not look at it.

    ## References
    - Keras: `Model.fit`, argument `x`
    - Tried with Keras 3.15 and tf_keras 2.21: generators, datasets and PyDataset
    """
    legacy = data.model.library.startswith("tf_keras")
    for source in data.sources:
        if source.malformed is not None and not data.model.custom_step:
            yield _malformed(source, source.malformed.batch, source.malformed.error)
        elif source.kind == "generator" and not legacy and source.element not in ("", "tuple"):
            yield _no_tuple(source)


def _malformed(source: Source, batch: int, error: str) -> Finding:
    return Finding(
        title=f"Batch {batch:,} of {named(source)} is nothing that fit takes: {error}",
        evidence=(Evidence(error, f"{named(source)}, batch {batch:,}"),),
        fix=Fix(
            f"Let it give {_TAKEN}, with arrays that have a first axis for the samples; several "
            "inputs go into one list or dict: (a, b), y.",
            changes_results=True,
        ),
    )


def _no_tuple(source: Source) -> Finding:
    remedy = {
        "list": "Yield a tuple: yield x, y instead of yield [x, y].",
        "dict": "Yield a tuple of inputs and labels: yield {'name': x}, y.",
    }.get(source.element, "Yield a tuple: yield x, y, or yield (x,) where there are no labels.")
    return Finding(
        title=f"{opening(source)} yields a {source.element}; Keras 3 takes tuples only",
        evidence=(Evidence(f"the first element is a {source.element}", named(source)),),
        fix=Fix(remedy),
    )
