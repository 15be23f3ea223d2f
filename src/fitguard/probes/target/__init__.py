"""What runs in the interpreter that trains, where fitguard need not be installed.

Nothing but the standard library, NumPy and TensorFlow, in syntax that Python 2.7 and 3.4 accept.

    main.py           starts there: imports TensorFlow, waits for the word, runs one probe
    bench.py          what a probe is given: the device, comparisons, a place for its answers
    arithmetic.py     what several probes compute
    faults.py         faults for tests

`catalog/` has one file for each probe; its docstring is its page.
"""
