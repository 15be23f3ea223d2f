"""The probes that compute, in the test process: right numbers pass, a wrong bit does not."""

import importlib
from pathlib import Path
from types import ModuleType

import pytest
from probes.benches import open_bench
from probes.meticulous import MeticulousBench

from fitguard.probes.registry import all_probes
from fitguard.probes.target import arithmetic, catalog
from fitguard.probes.target.bench import WrongResult

QUICK = ["convolution", "convolution-without-autotuning", "attention", "xla"]
MATMULS = ["matmul-float32", "matmul-tf32", "matmul-float16", "matmul-bfloat16"]
KERAS = ["lstm", "gru", "fit-step", "fit-xla", "mixed-precision"]


def load(name: str) -> ModuleType:
    return importlib.import_module(f"{catalog.__name__}.{name.replace('-', '_')}")


@pytest.mark.parametrize("name", QUICK + MATMULS + KERAS)
def test_right_numbers_pass_and_one_wrong_bit_would_not(tmp_path: Path, name: str) -> None:
    with open_bench(tmp_path, kind=MeticulousBench) as bench:
        text = load(name).run(bench)
    assert "of what is allowed" in text
    assert ("A CPU has no TF32" in text) == (name == "matmul-tf32")
    assert ("without cuDNN" in text) == (name in ("lstm", "gru"))


@pytest.mark.parametrize("name", QUICK + MATMULS + KERAS)
def test_a_wrong_bit_is_a_wrong_result(tmp_path: Path, name: str) -> None:
    with (
        open_bench(tmp_path, "wrong-bits") as bench,
        pytest.raises(WrongResult, match="is wrong in 1 of"),
    ):
        load(name).run(bench)
    assert bench.tf.keras.mixed_precision.global_policy().name == "float32"


@pytest.mark.parametrize("name", ["convolution", "attention"])
def test_other_numbers_stay_as_far_from_the_bound(tmp_path: Path, name: str) -> None:
    for seed in range(20):
        with open_bench(tmp_path, kind=MeticulousBench, seed=seed) as bench:
            load(name).run(bench)


@pytest.mark.parametrize("kind", ["float32", "tf32", "float16", "bfloat16"])
def test_other_matrices_stay_as_far_from_the_bound(tmp_path: Path, kind: str) -> None:
    for seed in range(20):
        with open_bench(tmp_path, kind=MeticulousBench, seed=seed) as bench:
            arithmetic.check_matmul(bench, kind)


def test_what_they_need_of_their_process_is_said() -> None:
    known = all_probes()
    assert known["determinism"].environment == {"TF_DETERMINISTIC_OPS": "1"}
    without = known["convolution-without-autotuning"]
    assert without.environment == {"TF_CUDNN_USE_AUTOTUNE": "0"}
