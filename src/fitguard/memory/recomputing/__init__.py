"""Recomputation: what the backward pass needs is forgotten, and computed again when it is needed.

It works on the graph of the traced step, so it knows no layers: any model, any `train_step`.

    Graph ──> arranged ──> stash ──> segments ──> groups ──> Edit ──> paper: does it fit?
                             ^                      │
                             └────── search <───────┘

graph.py        a traced step as nodes, run on paper once: the order, the peak, who reads what when
expense.py      how long an operation takes, as a part of the step
repeatable.py   which operations give the same when they run again
segments.py     where the forward pass is cut: what is alive there is kept
groups.py       what is computed again together, and what sets it off
edit.py         operations that are added and inputs that change, on paper and in a `GraphDef`
broadcasts.py   small values in place of copies that are as large as a batch
gathered.py     updates that do not wait for each other
ordering.py     the order of the backward pass that takes least
paper.py        what a step needs, as it is and edited
search.py       many ways to recompute, and what each takes
choosing.py     the cheapest that fits into the memory that is there
recomputation.py  what was chosen
rooms.py        a step that replicas share, taken apart: what each device runs
by_device.py    the cheapest way on each device
shelving.py     shelves for small values, in the memory of a device
recomputed.py   a function that can be called, with the way that was chosen for its arguments
timing.py       how long a step takes on a card
estimating.py   for the plan: what a recomputed step needs at any batch size
"""
