"""The arrays behind a pipeline that does nothing to them but order and batch them.

They can be scanned whole, at the speed of memory, where reading batches would see a part.
"""

from typing import Any

from fitguard.contract.datasets.stages import DatasetStage

_ORDERING = {"batch", "cache", "prefetch", "repeat", "shuffle", "with_options"}


def whole_tensors(dataset: Any) -> Any | None:
    """The tensors that `from_tensor_slices` was given, in their structure; None where some stage
    changes or chooses elements or makes batches of batches, or where they are not plain tensors."""
    import tensorflow as tf

    stage = DatasetStage(dataset)
    batches = 0
    while stage.name in _ORDERING:
        batches += stage.name == "batch"
        if len(stage.inputs) != 1 or batches > 1:
            return None
        stage = stage.inputs[0]
    if stage.name != "from_tensor_slices":
        return None
    structure = stage.dataset.element_spec
    specs = tf.nest.flatten(structure)
    plain = all(isinstance(spec, tf.TensorSpec) for spec in specs)
    if not plain or len(specs) != len(stage.tensors):
        return None
    return tf.nest.pack_sequence_as(structure, stage.tensors)
