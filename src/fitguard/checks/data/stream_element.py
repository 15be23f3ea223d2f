"""The stream yields something that fit does not take."""

from collections.abc import Iterator

from fitguard.checks.data.derived.first_batches import OddBatch, odd_batch
from fitguard.checks.data.derived.generation import is_keras_2
from fitguard.checks.data.derived.sources import format_source, opening
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Source
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.words import shape as shown

_YIELDING = ("generator", "pydataset")
_LIST_INSIDE = "tuple with a list"
_TAKEN = "x, (x,), (x, y) or (x, y, sample_weight)"


@check("FG613", "stream-element", requires={"FG612"})
def stream_element(data: DataFacts) -> Iterator[Finding]:
    """
    ## What it means
    An element of a stream is a batch: `(x, y)`, or `(x, y, sample_weight)`, or x alone where the
    model needs no labels. x and y may be arrays, or tuples and dicts of arrays. This stream yields
    something else.

    ## Why training crashes
    More than three parts: *Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y,
    sample_weight)`*. A generator in Keras 3 must yield tuples: a list, a dict or a bare array stops
    it with *the generator must return a tuple*. So does a list of arrays inside that tuple, for
    several inputs or outputs, and in a PyDataset too: *`output_signature` must contain objects that
    are subclass of `tf.TypeSpec` but found <class 'list'>*. Lists of numbers instead of arrays:
    *the arrays must be at least rank 1*.

    Keras 3 takes the shapes that all batches will have from the first two. Where these agree and a
    later one differs, it stops there: *Generator yielded an element of shape (8, 6, 2) where an
    element of shape (None, 5, 2) was expected*.

    ## How to fix it
    Yield `x, y` as a tuple of NumPy arrays. Several inputs belong together in a tuple or dict:
    `yield (a, b), y`, not `yield a, b, y`, where y would be taken for the sample weights. Make
    arrays of lists: `numpy.array(rows)`. Batches of different lengths: pad them to one, or use
    `tf.data.Dataset.from_generator` with an `output_signature` that leaves that axis open.

    ## When this is wrong
    A model with a `train_step` of its own may read other elements from a `tf.data.Dataset`; this
    check then does not look at it.

    ## References
    - Keras: `Model.fit`, argument `x`
    - Tried with Keras 3.15 and tf_keras 2.21: generators, datasets and PyDataset
    """
    keras_2 = is_keras_2(data.model)
    for source in data.sources:
        if source.malformed is not None and not data.model.custom_step:
            yield _build_malformed_finding(source, source.malformed.batch, source.malformed.error)
        elif not keras_2 and source.kind in _YIELDING and source.element == _LIST_INSIDE:
            yield _list_inside(source)
        elif source.kind == "generator" and not keras_2 and source.element not in ("", "tuple"):
            yield _no_tuple(source)
        elif not keras_2 and (odd := odd_batch(source)) is not None:
            yield _odd(source, odd)


def _build_malformed_finding(source: Source, batch: int, error: str) -> Finding:
    return Finding(
        title=f"Batch {batch:,} of {format_source(source)} is nothing that fit takes: {error}",
        evidence=(Evidence(error, f"{format_source(source)}, batch {batch:,}"),),
        fix=Fix(
            f"Let it give {_TAKEN}, with arrays that have a first axis for the samples: collect "
            "samples with numpy.stack, make arrays of lists with numpy.array. Several inputs go "
            "into one tuple or dict: (a, b), y.",
            changes_results=True,
        ),
    )


def _odd(source: Source, odd: OddBatch) -> Finding:
    return Finding(
        title=f"Batch {odd.batch:,} of {format_source(source)} has x of shape {shown(odd.shape)}; "
        f"by the first two batches Keras 3 expects {shown(odd.expected)}",
        evidence=(
            Evidence(f"shape {shown(odd.shape)}", f"{format_source(source)}, batch {odd.batch:,}"),
            Evidence(f"shape {shown(odd.expected)}", f"{format_source(source)}, batches 0 and 1"),
        ),
        fix=Fix(
            "Bring all samples to one shape, by padding or cutting. If the model takes any length: "
            "tf.data.Dataset.from_generator, with None for that axis in its output_signature.",
            changes_results=True,
        ),
    )


def _list_inside(source: Source) -> Finding:
    return Finding(
        title=f"{opening(source)} yields a list of arrays inside its tuple; Keras 3 takes "
        "tuples and dicts only",
        evidence=(Evidence(f"the first element is a {source.element}", format_source(source)),),
        fix=Fix("Put the arrays into a tuple or dict: (a, b), y instead of [a, b], y."),
    )


def _no_tuple(source: Source) -> Finding:
    remedy = {
        "list": "Yield a tuple: yield x, y instead of yield [x, y].",
        "dict": "Yield a tuple of inputs and labels: yield {'name': x}, y.",
    }.get(source.element, "Yield a tuple: yield x, y, or yield (x,) where there are no labels.")
    return Finding(
        title=f"{opening(source)} yields a {source.element}; Keras 3 takes tuples only",
        evidence=(Evidence(f"the first element is a {source.element}", format_source(source)),),
        fix=Fix(remedy),
    )
