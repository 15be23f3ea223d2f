"""Does this machine really compute? Small known computations, each in a process of its own.

probing.py is the door. A probe goes this way:

    registry ──> a child of the interpreter that trains ──> Ending ──> judging ──> ProbeResult

    registry.py       the probes, read out of the catalog
    devices.py        the GPUs that are to be probed, and how a child sees one of them alone
    child.py          one probe in its process: limits of time and memory, progress
    judging.py        how it ended, into a result with a cause
    rates.py          what was measured, beside what the card should give
    slowness.py       why a rate may be far below
    probing.py        which probes, in which order
    doctor.py         `fitguard.doctor()`, whose `deep` runs the quick ones
    after_fault.py, fault_request.py
                      those that a guarded run asks for, in a process of its own

`target/` runs in the interpreter that trains, and has a map of its own.
"""
