"""What runs in the interpreter that trains, where fitguard need not be installed.

Nothing but the standard library, NumPy and TensorFlow, in syntax that Python 2.7 and 3.4 accept.

    main.py           starts there: imports TensorFlow, waits for the word, runs one probe
    bench.py          what a probe is given: the device, comparisons, a place for its answers
    arithmetic.py     what several probes compute, and how far rounding may take it
    convolutions.py   a convolution and its gradients
    recurrent.py      LSTM and GRU of Keras, and their equations
    training.py       a small training, with Keras and by hand
    faults.py         faults for tests

`--level long`:

    soak.py           starts there: builds what is computed, and soaks
    soaking.py        computes in random order, and compares each checksum, until told
    workload.py, workloads.py
                      one computation; all of them
    products.py, transfers.py
                      those that make a GPU hot; those that only keep and move bits
    checksums.py      a number pair for a whole result, computed on the device
    wrong_bits.py     where a result is wrong, and how that is said
    run_files.py      the files by which a soak and its parent see each other
    flips.py          wrong bits for tests

`catalog/` has one file for each probe; its docstring is its page.
"""
