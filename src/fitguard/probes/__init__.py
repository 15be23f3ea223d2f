"""Does this machine really compute? Small known computations, each in a process of its own.

probing.py is the door. A probe goes this way:

    registry ──> a child of the interpreter that trains ──> Ending ──> judging ──> ProbeResult

What runs in the interpreter that trains (`target/`: no other file of fitguard, no dependency but
TensorFlow, in syntax that Python 2.7 and 3.4 accept)
    main.py           starts there: imports TensorFlow, waits for the word, runs one probe
    bench.py          what a probe is given: the device, comparisons, a place for its answers
    arithmetic.py     what several probes compute
    faults.py         faults for tests
    catalog/          one file for each probe; its docstring is its page
    layer.py          probes any layer of Keras, for `probe --like`; layer_call.py makes it

What runs here
    registry.py       the probes, read out of the catalog
    devices.py        the GPUs that are to be probed, and how a child sees one of them alone
    child.py          one probe in its process: limits of time and memory, progress
    judging.py        how it ended, into a result with a cause
    rates.py          what was measured, beside what the card should give
    probing.py        which probes, in which order
"""
