"""Planning hides the GPUs; a measurement gets them back."""

import pytest

from fitguard.memory.visible_gpus import hide_gpus, with_gpus


@pytest.mark.parametrize(
    "before", [{}, {"CUDA_VISIBLE_DEVICES": "2,3"}, {"CUDA_VISIBLE_DEVICES": ""}]
)
def test_hidden_and_given_back(before: dict[str, str]) -> None:
    environment = {"PATH": "/bin", **before}
    hide_gpus(environment)
    assert environment["CUDA_VISIBLE_DEVICES"] == "-1"
    hide_gpus(environment)  # twice is no harm
    assert with_gpus(environment) == {"PATH": "/bin", **before}
    assert environment["CUDA_VISIBLE_DEVICES"] == "-1"


def test_what_was_never_hidden_stays() -> None:
    assert with_gpus({"CUDA_VISIBLE_DEVICES": "1"}) == {"CUDA_VISIBLE_DEVICES": "1"}
