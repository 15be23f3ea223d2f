"""What a line, a topic or a finding alone suggests."""

from typing import get_args

from causes.tell import tell

from fitguard.checks.framework.registry import all_checks
from fitguard.crash.leanings import CAUSES_OF
from fitguard.schema.diagnosis import CauseSlug


def test_a_code_that_no_cause_knows_leans_to_its_usual_causes() -> None:
    told = tell("Failed: cudaErrorContained\n")
    assert told.causes[0].cause == "hardware-fault"
    assert "fault of its own parts" in told.causes[0].why


def test_the_fix_of_a_mere_leaning_is_that_of_the_page() -> None:
    told = tell("Failed: cudaErrorContained\n")
    assert told.causes[0].fix.text
    assert "##" not in told.causes[0].fix.text


def test_a_topic_never_decides() -> None:
    told = tell("Something about cudnn and the VRAM, who knows what.\n")
    assert told.primary is None
    assert {"cudnn-mismatch", "cudnn-missing"} <= {found.cause for found in told.causes}


def test_an_error_that_the_doctor_finds_is_listed() -> None:
    told = tell("It does not train.\n", tf="2.10", cudnn="8.0.5", gpu="Tesla T4")
    (found,) = [found for found in told.causes if found.cause == "cudnn-mismatch"]
    assert "8.0.5" in found.why
    assert found.fix.commands


def test_a_topic_and_a_finding_on_it_decide_together() -> None:
    told = tell("Something is wrong with cudnn here.\n", tf="2.10", cudnn="8.0.5", gpu="Tesla T4")
    assert told.primary == "cudnn-mismatch"


def test_a_healthy_machine_adds_nothing() -> None:
    assert tell("It does not train.\n", tf="2.10", cudnn="8.1", gpu="Tesla T4").causes == ()


def test_the_memory_of_a_probe_and_of_a_layer_of_the_script() -> None:
    line = "fitguard probe {} on GPU 0: stopped, because it took 48.3 GiB of the host's memory\n"
    own, like = (tell(line.format(name)).causes for name in ("convolution", "like/dense"))
    assert [found.cause for found in own] == ["host-oom", "framework-bug"]
    assert own[0].why.startswith("A known computation took more main memory than it was given")
    assert [found.cause for found in like] == ["host-oom"]
    assert "the reference of this batch needs it" in like[0].why


def test_the_table_names_checks_and_causes_that_exist() -> None:
    slugs = {check.slug for check in all_checks().values()}
    assert set(CAUSES_OF) <= set(get_args(CauseSlug))
    assert frozenset().union(*CAUSES_OF.values()) <= slugs
