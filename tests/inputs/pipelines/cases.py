"""All pipelines that the tests try; importing the files registers them."""

from inputs.pipelines import file_cases, python_cases, stage_cases
from inputs.pipelines.registry import CASES, REFUSED, lengths, numbers, slices

Feed = python_cases.Feed

__all__ = [
    "CASES",
    "REFUSED",
    "Feed",
    "file_cases",
    "lengths",
    "numbers",
    "slices",
    "stage_cases",
]
