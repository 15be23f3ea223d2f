"""A `tf.data` pipeline brings every element to the device, unchanged.

## What is done
Numbers go through `map` in parallel, `batch` and `prefetch` to the device. There each batch is used
in a computation, and comes back.

## How it is judged
Each element is compared bit for bit with what NumPy says, and none may be missing, doubled or out
of place.

## What a failure means
The path from the input pipeline to the device loses or changes data. If `copies` passes, it is the
software: try without `prefetch_to_device`. If it fails as well, it is the link or the memory.
"""

NAME = "input-pipeline"
LEVEL = "medium"
SECONDS = 6
LIMIT_SECONDS = 180

_BATCH = 64


def run(bench):
    """Read the pipeline to its end."""
    np = bench.np
    batches, width = (256, 16384) if bench.on_gpu else (16, 256)
    dataset, to_device = _build(bench, batches, width)
    columns = np.arange(width, dtype=np.float32)
    place = -1
    for place, batch in enumerate(dataset):
        if to_device and bench.on_gpu and "GPU" not in batch.device:
            raise RuntimeError("A batch lies on %s. Expected %s" % (batch.device, bench.device))
        with bench.tf.device(bench.device):
            got = bench.fetch(batch * 2.0)
        rows = np.arange(place * _BATCH, (place + 1) * _BATCH, dtype=np.float32)
        expected = (rows[:, None] + columns[None, :]) * np.float32(2)
        bench.require_same(got, expected, "Batch %d of the pipeline" % place)
        bench.progress((place + 1.0) / batches)
    bench.require_same([place + 1], [batches], "The number of batches")
    how = "prefetched to the device" if to_device else "prefetched"
    return "%d batches of %d x %d numbers, %s: each element the same" % (
        batches, _BATCH, width, how,
    )  # fmt: skip


def _build(bench, batches, width):
    """The pipeline, and whether it prefetches to the device itself."""
    tf = bench.tf
    with tf.device("/CPU:0"):
        columns = tf.range(width, dtype=tf.float32)
        dataset = tf.data.Dataset.range(batches * _BATCH)
        dataset = dataset.map(
            lambda number: tf.cast(number, tf.float32) + columns, num_parallel_calls=4
        )
        dataset = dataset.batch(_BATCH).prefetch(2)
    prefetch = getattr(tf.data.experimental, "prefetch_to_device", None)
    if prefetch is None:
        return dataset, False
    return dataset.apply(prefetch(bench.device)), True
