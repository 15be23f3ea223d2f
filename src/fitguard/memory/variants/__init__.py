"""Other versions of the user's model, to see what they would need; the user's is not touched."""

from fitguard.memory.variants.input_size import with_input_size
from fitguard.memory.variants.mixed_precision import with_policy
from fitguard.memory.variants.mode import with_jit
from fitguard.memory.variants.optimizer import with_optimizer
from fitguard.memory.variants.recomputation import add_recomputation, with_recomputation
from fitguard.memory.variants.variant import Variant

__all__ = [
    "Variant",
    "add_recomputation",
    "with_input_size",
    "with_jit",
    "with_optimizer",
    "with_policy",
    "with_recomputation",
]
