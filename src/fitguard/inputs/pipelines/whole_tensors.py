"""The arrays behind a pipeline that does nothing to them but order and batch them.

They can be scanned whole, at the speed of memory, where reading batches would see a part.
"""

from typing import Any

from fitguard.inputs.pipelines.classes import NAMES, class_of, inputs_of

_ORDERING = {"batch", "cache", "prefetch", "repeat", "shuffle", "with_options"}


def whole_tensors(dataset: Any) -> Any | None:
    """The tensors that `from_tensor_slices` was given, in their structure; None where some stage
    changes or chooses elements or makes batches of batches, or where they are not plain tensors."""
    batches = 0
    while NAMES.get(class_of(dataset)) in _ORDERING:
        inputs = inputs_of(dataset)
        batches += NAMES.get(class_of(dataset)) == "batch"
        if len(inputs) != 1 or batches > 1:
            return None
        dataset = inputs[0]
    if NAMES.get(class_of(dataset)) != "from_tensor_slices":
        return None
    import tensorflow as tf

    structure = getattr(dataset, "_structure", None)
    tensors = getattr(dataset, "_tensors", None)
    if structure is None or tensors is None:
        return None
    specs = tf.nest.flatten(structure)
    if len(specs) != len(tensors) or not all(isinstance(spec, tf.TensorSpec) for spec in specs):
        return None
    return tf.nest.pack_sequence_as(structure, tensors)
