"""DataFrames, Series and indexes of pandas: each column as an array with its pandas type."""

import sys
from typing import Any

import numpy as np

from fitguard.notebook.parcel.errors import cannot_carry
from fitguard.notebook.parcel.nodes import Frame, Import, Node
from fitguard.notebook.parcel.sides import NotMine, Packed, Packing, Unpacking


def pack_frame(value: Any, packing: Packing, where: str) -> Packed:
    """A DataFrame, Series or Index, or NotMine."""
    pandas: Any = sys.modules.get("pandas")
    if pandas is None:
        return NotMine
    if value is pandas.NA:
        return Import("pandas", "NA")
    if isinstance(value, pandas.MultiIndex):
        raise cannot_carry(value, where, "it has levels", f"Call reset_index() on {where} first.")
    if isinstance(value, pandas.RangeIndex):
        parts = [value.start, value.stop, value.step]
        return Frame("range", packing.node(value.name, where), list(parts), [])
    if isinstance(value, pandas.Index):
        return _columns("index", value.name, [value], None, packing, where)
    if isinstance(value, pandas.Series):
        return _columns("series", value.name, [value], value.index, packing, where)
    if isinstance(value, pandas.DataFrame):
        columns = [value.iloc[:, number] for number in range(value.shape[1])]
        return _columns("frame", value.columns, columns, value.index, packing, where)
    return NotMine


def is_frame(value: Any) -> bool:
    """Whether it is of pandas."""
    pandas: Any = sys.modules.get("pandas")
    kinds = (pandas.DataFrame, pandas.Series, pandas.Index) if pandas is not None else ()
    return isinstance(value, kinds)


def make_frame(node: Frame, unpacking: Unpacking) -> Any:
    """The DataFrame, Series or Index again."""
    import pandas

    name = unpacking.value(node.name)
    if node.kind == "range":
        return pandas.RangeIndex(*(unpacking.value(part) for part in node.columns), name=name)
    columns = [
        _column(unpacking.value(part), dtype)
        for part, dtype in zip(node.columns, node.dtypes, strict=True)
    ]
    if node.kind == "index":
        return pandas.Index(columns[0], name=name)
    index = unpacking.value(node.index)
    if node.kind == "series":
        return pandas.Series(columns[0], index=index, name=name, copy=False)
    frame = pandas.DataFrame(dict(enumerate(columns)), index=index, copy=False)
    frame.columns = name
    return frame


def _columns(
    kind: str, name: Any, columns: list[Any], index: Any, packing: Packing, where: str
) -> Frame:
    return Frame(
        kind,
        packing.node(name, f"the columns of {where}"),
        [_values(column, packing, f"{where}[{column.name!r}]") for column in columns],
        [str(column.dtype) for column in columns],
        packing.node(index, f"the index of {where}"),
    )


def _values(column: Any, packing: Packing, where: str) -> Node:
    if str(column.dtype) == "category":
        categorical = column.array if hasattr(column, "array") else column
        parts = (categorical.codes, categorical.categories, categorical.ordered)
        return packing.node(parts, where)
    if getattr(column.dtype, "tz", None) is not None:
        return packing.node(column.to_numpy(f"datetime64[{column.dtype.unit}]"), where)
    plain = isinstance(column.dtype, np.dtype)
    # Numbers that may be missing would become floats, and lose digits.
    return packing.node(column.to_numpy() if plain else column.to_numpy(object), where)


def _column(values: Any, dtype: str) -> Any:
    import pandas

    if dtype == "category":
        codes, categories, ordered = values
        return pandas.Categorical.from_codes(codes, categories, ordered=ordered)
    if dtype.startswith("datetime64[") and "," in dtype:
        return pandas.DatetimeIndex(values).tz_localize("UTC").tz_convert(_zone(dtype)).array
    return pandas.array(values, dtype=dtype) if str(values.dtype) != dtype else values


def _zone(dtype: str) -> str:
    return dtype.split(",")[1].strip(" ]")
