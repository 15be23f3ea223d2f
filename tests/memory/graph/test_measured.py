"""Steps on paper beside steps on a real GPU."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import keras
import pytest
from memory.graph.measured_peaks import PEAKS, SLOW, Peak
from memory.graph.tiny_steps import compiled

from fitguard.memory.graph.fitting import peak_bytes
from fitguard.memory.graph.step import read_step

QUICK = [peak for peak in PEAKS if peak.model not in SLOW]


@pytest.fixture(scope="module")
def _models() -> Iterator[None]:
    """The modules of bench/plan can be imported."""
    folder = str(Path(__file__).parents[3] / "bench" / "plan")
    sys.path.insert(0, folder)
    yield
    sys.path.remove(folder)


@pytest.fixture
def policy(request: pytest.FixtureRequest) -> Iterator[str]:
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(request.param)
    yield request.param
    keras.config.set_dtype_policy(before)


@pytest.mark.usefixtures("_models", "policy")
@pytest.mark.parametrize(
    ("policy", "peak"),
    [pytest.param(peak.policy, peak, id=peak.model) for peak in QUICK],
    indirect=["policy"],
)
def test_the_peak_is_the_measured_one(peak: Peak) -> None:
    model = importlib.import_module(peak.kind).BUILDERS[peak.model]()
    step = read_step(compiled(model, peak.optimizer))
    found = peak_bytes(step.run(), peak.batch_size, step.beside.factor)
    assert found / 2**20 == pytest.approx(peak.mib, rel=0.03)
