"""Which errors mean that the GPU's memory did not suffice."""

_WORDS = ("RESOURCE_EXHAUSTED", "out of memory", "OOM when allocating", "CUDA_ERROR_OUT_OF_MEMORY")


def is_out_of_memory(error: BaseException) -> bool:
    """Whether TensorFlow says so; XLA and cuDNN wrap it into errors of other names."""
    if not any(cls.__name__ == "OpError" for cls in type(error).__mro__):
        return False
    if type(error).__name__ == "ResourceExhaustedError":
        return True
    text = str(error)
    return any(word in text for word in _WORDS)


def let_go(error: BaseException) -> None:
    """Give back the tensors that did not fit: its traceback holds them, and those behind it."""
    behind: BaseException | None = error
    while behind is not None:
        behind.__traceback__ = None
        behind = behind.__context__
