"""`tf.data` pipelines: what they are made of, and their elements, read without a trace.

    from fitguard.inputs.pipelines.reading import open_dataset
    from fitguard.inputs.pipelines.describing import describe

`open_dataset(dataset)` takes a `tf.data.Dataset` or a distributed one and gives a `Reading`:
`pipeline`, `unread`, `elements`, `endless`, `replicas`, `batches()`. `describe(dataset)` gives the
`Pipeline` alone. Both run nothing of the user's; only `batches()` does, and puts everything back.
`fitguard.contract.datasets` knows what a dataset is made of.

    reading.py        opening and reading; what moves in a pipeline, and what does not
    twins.py          the twin that is read in place of the user's dataset
    opaque.py         datasets that only TensorFlow's own graph shows
    passes.py         where one pass over the data ends
    describing.py     the stages as facts
    elements.py       the size and the words of an element
    whole_tensors.py  the arrays behind a pipeline that only orders and batches them
"""
