"""Graph mode: the traced step, rewritten as TensorFlow would for a GPU, and run on paper.

estimator.py is the door. A step goes this way:

    Training ──> tracing ──> rewriting ──> nodes ──> tidying, updates ──> Step ──> Run ──> bytes

The graph of the step
    step.py           all of it: read_step makes a Step, Step.run a Run
    tracing.py        one trace, for a batch that can be told from every other number
    text_rows.py      rows of text, which TensorFlow loses count of
    rewriting.py      TensorFlow's own optimizer, told that there is a GPU
    folding.py        constant folding, without computing huge constants
    nodes.py          the graph as plain objects: shapes.py, sizes.py that follow the batch
    tidying.py        the optimizer's second round
    updates.py        the real updates of the optimizer, instead of one assignment each

Run on paper
    execution.py      in the order of TensorFlow's executor
    operations.py     what each operation does to buffers.py
    kernels.py        what GPU kernels allocate; recurrent.py for cuDNN's RNN
    numbers.py        how often a loop runs

What it needs
    fitting.py        the least that it runs in, and what it takes with room
    allocator.py      TensorFlow's allocator, with a limit
    shelves.py        places for small values, so that they do not lie between large ones
    workspace.py      what cuDNN takes for convolutions
    detail.py         what fills the memory, by layer and over the step; owners.py
"""
