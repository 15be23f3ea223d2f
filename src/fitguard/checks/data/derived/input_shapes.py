"""Whether samples of a shape fit an input of the model."""

from fitguard.schema.model import ModelInput, Shape


def fits(sample: Shape, given: ModelInput) -> bool:
    """Whether the model takes samples of this shape; True where that is not known.

    Keras adds a last axis of length 1 where it is missing, and takes away one that is too many.
    """
    if given.shape is None:
        return True
    wanted = given.shape[1:]
    if len(sample) == len(wanted) - 1 and wanted[-1] == 1:
        return _agree(sample, wanted[:-1])
    if len(sample) == len(wanted) + 1 and sample[-1] in (1, None):
        return _agree(sample[:-1], wanted)
    return _agree(sample, wanted)


def _agree(sample: Shape, wanted: Shape) -> bool:
    return len(sample) == len(wanted) and all(
        have == want or have is None or want is None
        for have, want in zip(sample, wanted, strict=True)
    )
