"""Facts that anyone may have written: a judgement comes out, whatever is in them."""

import contextlib

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fitguard
from fitguard.checks.framework.runner import judge_machine
from fitguard.report.render import FORMATS, render
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.facts import Facts

WORDS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(["", "2.10.1", "12", "abc", "-1", "9" * 40, "0", "sm_", "compute_", "GPU-"]),
)
NUMBERS = st.one_of(st.integers(-(2**70), 2**70), st.sampled_from([10**400, -(10**400)]))


def make_facts(words, number) -> Facts:
    w = iter(words)
    return msgspec.convert(
        {
            "python": {"version": next(w)},
            "platform": {"system": next(w), "machine": next(w), "distribution": next(w)},
            "packages": {
                "complete": True,
                "found": [{"name": name, "version": next(w)} for name in ("keras", "numpy")],
            },
            "tensorflow": {"version": next(w), "package": next(w), "capabilities": [next(w)]},
            "libraries": {
                "complete": True,
                "found": [
                    {"component": "cudart", "soname": next(w), "path": next(w), "version": next(w)}
                ],
            },
            "driver": {"version": next(w), "nvml_error": next(w)},
            "gpus": [{"name": next(w), "compute_capability": next(w), "used_bytes": number}],
            "environment": {"CUDA_VISIBLE_DEVICES": words[0], "LD_PRELOAD": words[1]},
            "host": {"available_bytes": number},
        },
        Facts,
    )


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(words=st.lists(WORDS, min_size=16, max_size=16), number=NUMBERS)
def test_any_words_are_judged(words, number):
    report = judge_machine(make_facts(words, number))
    for form in FORMATS:
        assert render(report, form)


@pytest.mark.soak
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(words=st.lists(WORDS, min_size=16, max_size=16), number=NUMBERS)
def test_any_words_are_resolved_or_refused(words, number):
    with contextlib.suppress(UsageError):
        answer = fitguard.resolve(facts=make_facts(words, number))
        assert all(render(answer, form) for form in ("text", "json"))


@pytest.mark.parametrize("version", ["abc", "", "x.y"])
def test_a_check_that_breaks_costs_itself_only(version):
    facts = msgspec.convert(
        {
            "tensorflow": {"version": version},
            "packages": {"found": [{"name": "numpy", "version": "2.0"}]},
            "host": {"disk_free_bytes": 1000},
        },
        Facts,
    )
    report = judge_machine(facts)
    assert any(item.broken for item in report.skipped)
    assert "disk-low" in [item.slug for item in report.findings]
