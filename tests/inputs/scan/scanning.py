"""Scans an array in one call."""

from typing import Any

import numpy as np

from fitguard.inputs.scan import FieldScan, Wanted, scan_array
from fitguard.schema.data import Field, Spotted


def field_scan(**settings: Any) -> FieldScan:
    wanted = {"role": "x", "name": "x", "container": "numpy.ndarray", **settings}
    return FieldScan(Wanted(**wanted))


def scanned(array: np.ndarray, **settings: Any) -> Field:
    scan = field_scan(**settings)
    scan_array(scan, array)
    return scan.result()


def indices(spotted: Spotted) -> list[tuple[int, ...]]:
    return [(place.sample, *place.position) for place in spotted.places]
