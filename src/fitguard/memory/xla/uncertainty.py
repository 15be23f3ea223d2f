"""How far the model of the GPU's compiler may be off, and why."""

from dataclasses import dataclass

from fitguard.schema.plan import Range

MIB = 2**20

COMPILER = (
    "XLA was not run for the GPU: which operations it fuses, in which order it runs them and what "
    "it stores for later is modelled after what it did on a H200, where the model was within 10 % "
    "for dense, convolutional and attention networks."
)
AUTOTUNING = (
    "While XLA compiles, it tries library kernels with buffers of their own; with room, that can "
    "be more than the step itself. Where there is no room, it does without."
)
FIRST_STEP = (
    "The first step needs more than the others: the optimizer's slots start as shared zeros, which "
    "XLA cannot overwrite, so that they exist once more until it is done."
)
SMALLER_CARDS = (
    "On a card that is nearly full XLA may compute some values twice to save memory; that is not "
    "counted."
)
LOOPS = (
    "The step has loops, as recurrent layers have without cuDNN. What XLA keeps of each round was "
    "not measured on a GPU, so the range is wide."
)
BRANCHES = (
    "The step has branches, as loss scaling and gradient accumulation make them. What XLA keeps "
    "for a branch was not measured on a GPU, so the range is wide."
)
UNLIKE = (
    "The step has another form at another batch size, so the memory was extrapolated along a line "
    "through two batch sizes instead of being worked out for this one."
)


@dataclass(frozen=True)
class Uncertainty:
    """Factors on the temporary memory; variables and inputs are known.

    Args:
        reasons: Why, one sentence each.
    """

    low: float
    likely: float
    high: float
    reasons: tuple[str, ...]
    fixed_bytes: int = 8 * MIB

    def estimate_required(self, constant: int, first_step: int, temporary: int) -> Range:
        """The range of what the step needs.

        Args:
            constant: Variables and inputs.
            first_step: What only the first step needs beside them.
            temporary: What the model of the compiler says.
        """
        return Range(
            constant + int(self.low * temporary),
            constant + first_step + int(self.likely * temporary),
            constant + first_step + int(self.high * temporary) + self.fixed_bytes,
        )

    def estimate_comfortable(self, required: Range, trial: int) -> Range:
        """With room: the step, or the dearest trial before it.

        Args:
            trial: Variables, inputs and the buffers of that trial.
        """
        likely = max(required.likely, trial)
        high = max(required.high, int(1.15 * trial)) + 64 * MIB
        return Range(required.low, likely, high)


FIRM = Uncertainty(0.9, 1.02, 1.17, (COMPILER, AUTOTUNING, SMALLER_CARDS))
LOOSE = Uncertainty(0.8, 1.02, 1.35, (COMPILER, AUTOTUNING, SMALLER_CARDS))
LOOPED = Uncertainty(0.7, 1.02, 1.4, (COMPILER, LOOPS, AUTOTUNING, SMALLER_CARDS))
BRANCHED = Uncertainty(0.7, 1.02, 1.4, (COMPILER, BRANCHES, AUTOTUNING, SMALLER_CARDS))
