"""Questions to NVML. Each may be refused; that costs its own answer only."""

from collections.abc import Callable
from typing import Any


class Questions:
    """Asks NVML about one GPU, or without `handle` about the system; a refusal is None.

    Args:
        problem: Set when an answer said that the GPU itself is lost.
    """

    def __init__(self, nvml: Any, *handle: Any) -> None:
        self.nvml = nvml
        self.handle = handle
        self.problem: str | None = None

    def __call__(self, function: str, *arguments: Any) -> Any:
        call: Callable[..., Any] | None = getattr(self.nvml, function, None)
        if call is None:
            return None
        try:
            return call(*self.handle, *arguments)
        except UnicodeDecodeError:
            return None
        except self.nvml.NVMLError as error:
            if error.value in (
                self.nvml.NVML_ERROR_GPU_IS_LOST,
                self.nvml.NVML_ERROR_RESET_REQUIRED,
            ):
                self.problem = str(error)
            return None

    def first(self, *functions: str, arguments: tuple[Any, ...] = ()) -> Any:
        """The answer of the first function that this driver and this binding have."""
        answers = (self(function, *arguments) for function in functions)
        return next((answer for answer in answers if answer is not None), None)
