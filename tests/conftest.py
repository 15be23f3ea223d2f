import os
import signal
from collections.abc import Iterator
from pathlib import Path

import programs
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")

# TensorFlow waits ten seconds for memory before it says that there is none. What the system itself
# allocates fails at once, with the same error. Read once, when TensorFlow allocates first.
os.environ["TF_ONEDNN_USE_SYSTEM_ALLOCATOR"] = "1"
STARTUP = Path(__file__).parent / "startup"
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(STARTUP), os.getenv("PYTHONPATH")]))


@pytest.fixture(autouse=True)
def _no_program_outlives_its_test() -> Iterator[None]:
    yield
    programs.end_all()


@pytest.fixture
def interruptible() -> Iterator[None]:
    """SIGINT raises KeyboardInterrupt here, also where a shell started pytest in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
