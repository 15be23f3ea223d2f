"""What is seen in the values of arrays and of the batches of a stream; numpy only, no judgement.

`Wanted` says what to look for, `FieldScan` gathers it block by block, `scan_array` leads a
`FieldScan` through a whole array at memory speed, `find_overlap` looks for validation samples
among the training samples.
"""

from fitguard.inputs.scan.arrays import scan_array
from fitguard.inputs.scan.field_scan import FieldScan
from fitguard.inputs.scan.overlap import find_overlap
from fitguard.inputs.scan.wanted import Wanted

__all__ = ["FieldScan", "Wanted", "find_overlap", "scan_array"]
