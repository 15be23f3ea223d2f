"""What goes to the training process in place of a dataset."""

import sys
from typing import TYPE_CHECKING, Any

from fitguard.state.not_carried import NotCarried

if TYPE_CHECKING:
    from fitguard.notebook.parcel.packing import Packer

FACTORY = """Pass a function that makes it; the training process calls it:
    def make_dataset():
        return tf.data.Dataset.from_tensor_slices((x, y)).shuffle(1000, seed=1).batch(32)
    fitguard.fit(model, make_dataset)"""


def pack_dataset(value: Any, packing: "Packer") -> Any:
    """Number, element spec, cardinality and names of a dataset that stays here; None for others."""
    tf: Any = sys.modules.get("tensorflow")
    if tf is None or not isinstance(value, tf.data.Dataset | tf.data.Iterator):
        return None
    if packing.feed is None or isinstance(value, tf.data.Iterator):
        raise NotCarried("an iterator lives in its own process", FACTORY)
    for spec in tf.nest.flatten(value.element_spec):
        flat = tf.nest.flatten(spec, expand_composites=True)
        if not all(isinstance(part, tf.TensorSpec) and _has_values(part.dtype) for part in flat):
            why = f"its elements hold a {type(spec).__name__}, which only its own process can read"
            raise NotCarried(why, FACTORY)
    number = packing.feed(value) if packing.files is not None else 0
    # As `class_names`, which Keras gives a dataset of images.
    named = {name: part for name, part in vars(value).items() if not name.startswith("_")}
    return number, value.element_spec, int(value.cardinality()), named


def _has_values(dtype: Any) -> bool:
    return dtype.name not in ("variant", "resource")
