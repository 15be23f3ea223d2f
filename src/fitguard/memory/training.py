"""The training step that is planned: a compiled model, and what it is fed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from fitguard.inputs.models.library import recognise


@dataclass(frozen=True, kw_only=True)
class Training:
    """A model that is compiled and built, with the shape of its data.

    Args:
        model: A Keras model, of Keras 3 or Keras 2; None where `step` is given.
        data: The argument of `train_step` as `fit` hands it over: `(x,)`, `(x, y)` or
            `(x, y, sample_weight)` in any nesting, x alone where it is one array without labels;
            for a `train_step` of the user's own, whatever the data are. A `tf.TensorSpec` for each
            array. A first axis that is None is the batch; other specs do not grow with it.
        jit_compile: Whether XLA compiles the step on the GPU.
        replicas: Over how many GPUs a strategy spreads each batch.
        step: The training step where it is no `train_step` of a model: called with the parts of
            `data`, which is a tuple then.
        only_batch_size: The one batch size that the step takes (a stateful RNN); None: any.
    """

    model: Any
    data: Any
    jit_compile: bool
    replicas: int = 1
    step: Callable[..., Any] | None = None
    only_batch_size: int | None = None

    @property
    def autograph(self) -> bool:
        """Whether TensorFlow makes operations of the `if` and `for` of the step: not in Keras 3."""
        return self.step is not None or recognise(self.model).generation == 2

    def run(self, data: Any) -> Any:
        """One step, as `fit` runs it: inside the strategy that the model was made under."""
        if self.step is not None:
            return self.step(*data)
        return self.model.distribute_strategy.run(self.model.train_step, args=(data,))

    def bind_batch_size(self, batch_size: int) -> "Training":
        """The same for a step that takes one batch size only."""
        return replace(self, data=self.specs(batch_size), only_batch_size=batch_size)

    def specs(self, batch_size: int | None) -> Any:
        """`data` with this batch size in each spec."""
        import tensorflow as tf

        def fill_batch_axis(spec: Any) -> Any:
            if not spec.shape.rank or spec.shape[0] is not None:
                return spec
            return tf.TensorSpec((batch_size, *spec.shape[1:]), spec.dtype, spec.name)

        return tf.nest.map_structure(fill_batch_axis, self.data)
