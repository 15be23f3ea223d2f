"""Probes that take several devices: on the CPU two halves of it."""

import contextlib
import os
import sys

import pytest

from fitguard.probes.child import FAULT, Ending, ProbeChild
from fitguard.probes.devices import cpu, join
from fitguard.probes.registry import all_probes


@pytest.fixture(scope="module")
def endings() -> dict[str, Ending]:
    """By probe and fault. All children start at once: TensorFlow takes long to import."""
    device = join([cpu()])
    assert device is not None
    found = {}
    with contextlib.ExitStack() as stack:
        started = {}
        for case in ("all-reduce:", "all-reduce:wrong-replica", "peer-copies:"):
            probe, _, fault = case.partition(":")
            environment = {**os.environ, FAULT: case if fault else ""}
            child = ProbeChild(all_probes()[probe], device, sys.executable, environment)
            started[case] = stack.enter_context(child)
        for case, child in started.items():
            found[case] = child.run()
    return found


@pytest.mark.parametrize(
    ("case", "text"),
    [("all-reduce:", "each has the exact sum"), ("peer-copies:", "2 pairs of devices")],
)
def test_each_is_right_on_the_cpu(case: str, text: str, endings: dict[str, Ending]) -> None:
    told = endings[case].told
    assert told["status"] == "pass", told
    assert text in told["detail"]


def test_a_wrong_part_of_one_replica_is_found(endings: dict[str, Ending]) -> None:
    told = endings["all-reduce:wrong-replica"].told
    assert (told["status"], told["kind"]) == ("fail", "wrong-result")
    assert told["detail"].startswith("The sum of 1000 numbers in float32 on /CPU:0 differs in ")
