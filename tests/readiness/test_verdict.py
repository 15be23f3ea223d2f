"""From findings and plans to one verdict and what to do next."""

import msgspec

from fitguard.readiness.verdict import compose_report, would_be_cured
from fitguard.schema.check import CheckedFit
from fitguard.schema.data import DataFacts, DataReport
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.model import ModelFacts
from fitguard.schema.plan import Advice, Breakdown, Card, Plan, Range, Shortage, Step


def found(severity="error", title="The labels are wrong"):
    return Finding(
        code="FG620", slug="labels", severity=severity, title=title, evidence=(), fix=Fix("Mend.")
    )


def fit_with(number=1, *findings, fits=None, micro_batch_size=16, changed_by_parts=False):
    gib = Range(2**30, 3 * 2**30, 4 * 2**30)
    advice = Advice(
        slug="mixed-precision",
        title="Use mixed precision",
        text="It halves activations.",
        required_bytes=1,
        saved_bytes=1,
        enough=True,
        changes_results=True,
        code="keras.mixed_precision.set_global_policy('mixed_float16')",
    )
    parts = msgspec.structs.replace(
        advice, slug="micro-batch", title="Micro-batches", changes_results=changed_by_parts, code=""
    )
    card = Card(name="RTX 3060", memory_bytes=12, free_bytes=12, usable_bytes=2**31)
    plan = Plan(
        mode="graph",
        batch_size=64,
        step=Step(model="m"),
        required_bytes=gib,
        comfortable_bytes=gib,
        process_bytes=gib,
        card=None if fits is None else card,
        fits=fits,
        micro_batch_size=micro_batch_size,
        advice=(parts, advice),
    )
    model = ModelFacts(name="m", library="keras", kind="sequential", built=True, compiled=True)
    return CheckedFit(
        number=number,
        line=number * 10,
        data=DataReport(ok=not findings, findings=findings, facts=DataFacts(model=model)),
        plan=plan,
    )


def test_nothing_found_names_the_command_that_keeps_it_alive():
    report = compose_report(
        doctor=DoctorReport(ok=True), fits=[fit_with(fits=True)], command="train.py --epochs 3"
    )
    assert (report.verdict, report.ok) == ("ready", True)
    assert "a step needs 3.0 GiB of the 2.0 GiB that RTX 3060 has" in report.headline
    assert [step.commands for step in report.steps] == [("fitguard run train.py --epochs 3",)]
    assert report.notes == ()


def test_without_a_card_it_asks_for_one():
    report = compose_report(fits=[fit_with()])
    assert report.verdict == "ready"
    assert "--gpu" in report.notes[0]


def test_a_model_without_data_is_not_called_ready():
    alone = msgspec.structs.replace(fit_with(), data=None)
    report = compose_report(fits=[alone])
    assert report.headline == "Nothing was found that would stop it, but no data were checked"


def test_warnings_are_counted():
    report = compose_report(doctor=DoctorReport(ok=True, findings=(found("warning"),)))
    assert (report.verdict, report.ok) == ("warnings", True)
    assert "no call of fit was reached" in report.headline


def test_the_same_problem_of_two_fits_is_one():
    report = compose_report(fits=[fit_with(1, found()), fit_with(2, found())], command="train.py")
    assert report.verdict == "fails"
    assert report.headline == "Training would fail: the labels are wrong (FG620)"
    [step] = report.steps
    assert (step.title, step.text, step.fits) == ("The labels are wrong (FG620)", "Mend.", (1, 2))
    assert not would_be_cured(report)


def test_a_batch_that_does_not_fit_leads_to_run_first():
    report = compose_report(fits=[fit_with(fits=False)], command="train.py")
    assert not report.ok
    assert report.headline.startswith("Training would fail: the batch of 64 does not fit")
    run, other = report.steps
    assert run.commands == ("fitguard run train.py",)
    assert "the optimizer sees the same batch" in run.text
    assert not run.changes_results
    assert other.changes_results
    assert other.code
    assert would_be_cured(report)


def test_a_batch_that_layers_look_at_needs_to_be_allowed():
    fits = [fit_with(fits=False, changed_by_parts=True)]
    report = compose_report(fits=fits, command="train.py")
    run = report.steps[0]
    assert run.commands == ("fitguard run --allow batch-statistics train.py",)
    assert run.changes_results
    assert "BatchNormalization" in run.text
    assert not would_be_cured(report)
    assert would_be_cured(report, ("batch-statistics",))


def test_a_batch_that_fits_whole_when_part_is_computed_twice_needs_no_word():
    fit = fit_with(fits=False, changed_by_parts=True)
    again = msgspec.structs.replace(
        fit.plan.advice[0], slug="recomputation", changes_results=False, enough=True
    )
    plan = msgspec.structs.replace(fit.plan, advice=(*fit.plan.advice, again))
    fits = [msgspec.structs.replace(fit, plan=plan)]
    report = compose_report(fits=fits, command="train.py")
    run = report.steps[0]
    assert run.commands == ("fitguard run train.py",)
    assert "it stays whole" in run.text
    assert not run.changes_results
    assert would_be_cured(report)


def test_a_callback_that_cannot_write_fails():
    fits = [
        msgspec.structs.replace(fit_with(number), failures=("CSVLogger cannot write\nMove it.",))
        for number in (1, 2)
    ]
    report = compose_report(fits=fits, command="train.py")
    assert report.headline == "Training would fail: CSVLogger cannot write"
    [step] = report.steps
    assert (step.text, step.fits) == ("Move it.", (1, 2))
    assert not would_be_cured(report)


def test_what_run_cannot_cure():
    too_large = compose_report(fits=[fit_with(fits=False, micro_batch_size=None)])
    assert not would_be_cured(too_large)
    machine = DoctorReport(ok=False, findings=(found(title="A driver is missing"),))
    both = compose_report(doctor=machine, fits=[fit_with(fits=False)], command="train.py")
    assert both.headline == "Training would fail: a driver is missing (FG620), and one more problem"
    assert not would_be_cured(both)


def test_a_script_that_raises_first():
    report = compose_report(failure="train.py raised KeyError: 'a'\n  line 3: x['a']")
    assert not report.ok
    assert report.headline == "Training would fail: train.py raised KeyError: 'a'"
    assert report.steps[0].text == "line 3: x['a']"
    assert not would_be_cured(report)


def test_without_a_fit_the_next_step_is_to_reach_one():
    why = "train.py ends without a call of fit.\nWrite a function."
    report = compose_report(doctor=DoctorReport(ok=True), command="train.py", unreached=why)
    assert (report.verdict, report.ok) == ("warnings", True)
    assert report.headline == "Only the machine was checked: no call of fit was reached"
    [step] = report.steps
    assert (step.title, step.text) == ("train.py ends without a call of fit", "Write a function.")
    late = compose_report(unreached="the script was left after 300 s")
    assert late.steps[0].title == "The script was left after 300 s"


def test_a_fit_that_was_not_seen_is_not_called_ready():
    report = compose_report(fits=[fit_with()], command="train.py", missed=[31], script="train.py")
    assert report.verdict == "warnings"
    assert report.headline == (
        "Nothing was found that would stop it, but the fit in line 31 was not looked at"
    )
    [step] = report.steps
    assert step.title == "The fit in line 31 was not looked at"
    assert step.commands == ("fitguard check train.py:FUNCTION",)
    more = compose_report(fits=[fit_with(1, found())], missed=[31, 40])
    assert more.headline == "Training would fail: the labels are wrong (FG620)"
    assert more.steps[1].title == "The fits in lines 31 and 40 were not looked at"


def test_the_only_advice_is_no_alternative():
    [step] = compose_report(fits=[fit_with(fits=False)]).steps
    assert step.title == "Use mixed precision"


def fit_of_one(*advice):
    """Not even one sample of it fits."""
    fit = fit_with(fits=False, micro_batch_size=None)
    shortage = Shortage(
        batch_size=1,
        required_bytes=Range(3 * 2**30, 3 * 2**30, 3 * 2**30),
        usable_bytes=2 * 2**30,
        breakdown=Breakdown(weights=2**30, optimizer=2 * 2**30),
        too_large="state",
        card_bytes=6 * 2**30,
    )
    return msgspec.structs.replace(
        fit, plan=msgspec.structs.replace(fit.plan, shortage=shortage, advice=advice)
    )


def test_where_not_even_one_sample_fits_it_is_said_what_is_too_large():
    report = compose_report(fits=[fit_of_one()], command="train.py")
    assert not report.ok
    [step] = report.steps
    assert step.title == "Use a smaller model or a larger GPU: not even one sample fits"
    assert step.text == (
        "Not even one sample fits: weights 1.0 GiB and the optimizer's state 2.0 GiB take 3.0 GiB "
        "together, and 2.0 GiB can be used. One sample fits a GPU with 6.0 GiB, as the script is."
    )
    assert not would_be_cured(report)


def test_what_makes_one_sample_fit_is_no_promise_for_the_batch():
    advice = Advice(slug="optimizer", title="Use Lion", text="Less state.", required_bytes=1,
                    saved_bytes=1, enough=True)  # fmt: skip
    report = compose_report(fits=[fit_of_one(advice)], command="train.py")
    [step] = report.steps
    assert step.title == "Use Lion"
    assert "One sample fits then. If your batch does not, fitguard run trains it" in step.text
