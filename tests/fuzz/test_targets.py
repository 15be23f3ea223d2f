"""A few hundred inputs for each reader of foreign files; `make soak` gives them a million."""

import pytest
from fuzz.seeds import SEEDS
from fuzz.targets import TARGETS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SLOW = ("log", "pages", "run_document")
PIECES = st.sampled_from(
    [b"", b"\0", b"{", b"[", b"\n", b"\\u0000", b"1e999", b"-1", b"null", b'"', b"9" * 400]
)


@pytest.mark.parametrize("name", TARGETS)
def test_seeds(name):
    for seed in SEEDS[name]:
        TARGETS[name][0](seed)


@pytest.mark.parametrize("name", TARGETS)
def test_what_comes_of_them(name):
    target = TARGETS[name][0]

    @settings(
        max_examples=15 if name in SLOW else 60,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def feed(data):
        seed = data.draw(st.sampled_from(SEEDS[name]))
        first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(seed))] * 2)))
        target(seed[:first] + data.draw(PIECES | st.binary(max_size=8)) + seed[last:])

    feed()
