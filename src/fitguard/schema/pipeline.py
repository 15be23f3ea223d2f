"""Facts about a `tf.data` pipeline: its stages, from the source to what `fit` gets."""

import msgspec


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """One transformation, or a source.

    Args:
        name: As the method is called: `from_tensor_slices`, `map`, `shuffle`, `batch`, `cache`.
        inputs: The numbers of the stages that it reads, in the pipeline's order.
        buffer_size: Of a shuffle or a prefetch; -1 is AUTOTUNE.
        batch_size: Of a batch.
        drop_remainder: Of a batch.
        count: Of a repeat, take or skip; -1 is endless.
        reshuffle: Whether a shuffle gives another order each time.
        seeded: Whether a shuffle was given a seed, its own or the global one.
        filename: The file of a cache; empty for one in memory.
        function: The name of the function of a map, filter or interleave.
        random: Whether that function draws random numbers.
        python: Whether Python code runs in it (`py_function`, `from_generator`).
        parallel: Whether it works in threads of its own, ahead of who reads it
            (`num_parallel_calls`).
        baked_bytes: Arrays that lie in the stage itself: the tensors of a source, or what a
            function has captured.
        elements: How many it yields; -1 endless, None unknown.
        element_bytes: The size of one element it yields; None where the shape is open.
        element: The element it yields, in words.
    """

    name: str
    inputs: tuple[int, ...] = ()
    buffer_size: int | None = None
    batch_size: int | None = None
    drop_remainder: bool | None = None
    count: int | None = None
    reshuffle: bool | None = None
    seeded: bool | None = None
    filename: str | None = None
    function: str | None = None
    random: bool = False
    python: bool = False
    parallel: bool = False
    baked_bytes: int = 0
    elements: int | None = None
    element_bytes: int | None = None
    element: str = ""


class Pipeline(msgspec.Struct, frozen=True):
    """The stages, sources first; the last one is what `fit` reads.

    Args:
        opaque: Stages, by their class, that could not be looked into.
        prefetch_added: Whether TensorFlow itself adds a prefetch at the end, as it does unless the
            options switch off autotuning or `inject_prefetch`; None where that is not known.
        default_optimizations: Whether TensorFlow changes the stages as it does by default: it makes
            one stage, which works ahead, of a map and the batch behind it.
    """

    stages: tuple[Stage, ...]
    opaque: tuple[str, ...] = ()
    prefetch_added: bool | None = None
    default_optimizations: bool | None = None
