"""Beside TensorFlow on the CPU: with this setting its allocator is the one that GPUs have."""

import json
import os
import random
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from memory.graph.served import fits
from memory.graph.step_functions import BATCH, FUNCTIONS, WIDTH
from memory.graph.tiny_steps import function_run

from fitguard.memory.graph.allocator import Allocator
from fitguard.memory.graph.fitting import peak_bytes

MIB = 2**20
FIRST_REGION_MIB = 2
"""What TensorFlow takes for the first small block; the rest becomes one region."""
REGION_MIB = 600
INPUT_BYTES = BATCH * WIDTH * 4

Action = tuple[str | None, int | None]


def traffic(seed: int) -> tuple[list[Action], list[int]]:
    """Actions, and what is in use after each on paper; free memory is in pieces at the end."""
    chance = random.Random(seed)
    allocator = Allocator(REGION_MIB * MIB)
    places: dict[str, int] = {}
    actions: list[Action] = []
    in_use: list[int] = []
    for number in range(200):
        size = int(chance.choice((3, 5, 9, 20, 60)) * MIB * chance.uniform(1, 1.6))
        if not places or (chance.random() < 0.7 and fits(deepcopy(allocator), [size])):
            places[str(number)] = allocator.allocate(size)
            actions.append((str(number), size))
        else:
            name = chance.choice(sorted(places))
            allocator.free(places.pop(name))
            actions.append((name, None))
        in_use.append(allocator.in_use_bytes)
    most = largest_free(allocator)
    assert most < (REGION_MIB * MIB - allocator.in_use_bytes) * 0.9, "free memory in one piece"
    allocator.free(allocator.allocate(most))
    actions += [("most", most), ("most", None), (None, most + 1)]
    in_use += [allocator.in_use_bytes + most, allocator.in_use_bytes]
    return actions, in_use


def largest_free(allocator: Allocator) -> int:
    """By trying."""
    fails = REGION_MIB * MIB // 256 + 1
    runs = 0
    while fails - runs > 1:
        middle = (fails + runs) // 2
        if fits(deepcopy(allocator), [middle * 256]):
            runs = middle
        else:
            fails = middle
    return runs * 256


ROUNDS = [traffic(seed) for seed in range(2)]


@pytest.fixture(scope="module")
def real() -> dict[str, Any]:
    settings = {
        "TF_CPU_ALLOCATOR_USE_BFC": "1",
        "TF_CPU_BFC_MEM_LIMIT_IN_MB": str(FIRST_REGION_MIB + REGION_MIB),
        "TF_NUM_INTEROP_THREADS": "1",
    }
    request = {"region_bytes": REGION_MIB * MIB, "rounds": [actions for actions, _ in ROUNDS]}
    answer = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("real_allocator.py"))],
        input=json.dumps(request),
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return json.loads(answer.stdout)


def test_the_allocator_gives_and_refuses_the_same(real: dict[str, Any]) -> None:
    """Each round ends with the largest block that there is room for, and one that is too large."""
    assert real["rounds"] == [[*in_use, True] for _, in_use in ROUNDS]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_peak_of_a_function_is_the_same(name: str, real: dict[str, Any]) -> None:
    run = function_run(FUNCTIONS[name], tf.TensorSpec((None, WIDTH), tf.float32))
    assert run.complete
    expected = peak_bytes(run, BATCH) - INPUT_BYTES
    assert expected == pytest.approx(real["peaks"][name], abs=0.02 * INPUT_BYTES)
