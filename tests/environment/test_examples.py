"""The examples in docstrings are run."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize(
    "module",
    [
        "fitguard.probes.doctor",
        "fitguard.environment.resolution",
        "fitguard.checks.framework.runner",
    ],
)
def test_examples(module):
    outcome = doctest.testmod(importlib.import_module(module))
    assert outcome.attempted
    assert outcome.failed == 0
