"""What is done when an attempt has ended, cause by cause, and when it is enough."""

import msgspec
import pytest
from supervise.story import ONE_GPU, TWO_GPUS, Story, end

from fitguard.knowledge import knowledge
from fitguard.schema.journal import OWN_FAULT, Failed, Orders
from fitguard.schema.run import Place


def test_a_script_that_exits_with_a_code_of_its_own():
    following = Story().ends_with(end("exited", exit_code=3, cause="gpu-oom"))
    assert (following.stop, following.exit_code) == (True, 3)
    assert "exit code 3" in following.text


def test_what_must_be_changed_in_the_script_is_not_tried_again():
    failed = Failed(time=1.0, kind="exception", remedy="Line 3 of train.py makes the folder out.")
    following = Story().ends_with(end("exception", failed=failed, cause="unknown", exit_code=1))
    assert (following.stop, following.exit_code) == (True, 1)
    assert following.text.endswith("fitguard stops here: Line 3 of train.py makes the folder out.")


def test_what_is_said_and_ordered_after_a_crash():
    story = Story()
    following = story.ends_with(end(signal="SIGSEGV", cause="unknown"))
    assert not following.stop
    assert following.action == "restart"
    assert following.orders == Orders(attempt=2, seed=7)
    assert following.text == (
        "Attempt 1 crashed with SIGSEGV after step 2 of epoch 2. It starts again, from the "
        "snapshot after epoch 1."
    )


def test_after_a_crash_before_the_first_step_no_plan_is_made():
    following = Story().ends_with(end("crashed", 0, 0, signal="SIGSEGV", steps_done=0))
    assert not following.orders.plan
    assert "It starts again without a plan" in following.text


def test_twice_at_the_same_step_without_progress_is_the_end():
    story = Story()
    assert story.ends_with(end(signal="SIGSEGV")).action == "restart"
    following = story.ends_with(end(signal="SIGSEGV"))
    assert (following.stop, following.exit_code) == (True, 139)
    assert "again, at the same step" in following.text
    assert "fitguard stops here" in following.text
    assert "\n" not in following.text


def test_three_times_at_the_same_step_is_the_end_however_much_was_saved_on_the_way():
    story = Story()
    for saved in (10, 11):
        assert not story.ends_with(end(step=14, saved=saved)).stop
    assert story.ends_with(end(step=14, saved=12)).stop


def test_another_step_is_another_try_but_not_for_ever():
    story = Story()
    taken = [story.ends_with(end(step=12 + n)).action for n in range(3)]
    assert taken == ["restart", "restart", "stop"]


def test_a_run_of_days_that_is_killed_fifty_times_goes_on():
    story = Story()
    for hour in range(50):
        killed = end("killed", 10 * hour + 8, 10 * hour + 5, signal="SIGKILL", ended=3600.0 * hour)
        assert not story.ends_with(killed).stop
    assert story.orders.attempt == 51


def test_kills_from_outside_at_the_same_step_are_forgiven_for_a_while():
    story = Story()
    actions = story.until_it_stops(end("killed", 0, 0, signal="SIGKILL", steps_done=0))
    assert actions == ["restart"] * 10 + ["stop"]


def test_too_many_in_an_hour():
    story = Story(restarts_per_hour=20)
    for n in range(19):
        killed = end("killed", 10 * n + 8, 10 * n + 5, ended=1e6 + 60.0 * n)
        assert not story.ends_with(killed).stop
    following = story.ends_with(end("killed", 500, 490, ended=1e6 + 1200))
    assert following.stop
    assert "20 attempts within one hour" in following.text


def test_max_attempts():
    assert Story(max_attempts=1).ends_with(end()).stop
    story = Story(max_attempts=3)
    actions = story.until_it_stops(end("killed", signal="SIGKILL"))
    assert actions == ["restart", "restart", "stop"]


STOPS_AT_ONCE = [
    row.cause
    for row in knowledge().policy.table.rows
    if row.stop and not row.tries and not row.outcome
]


@pytest.mark.parametrize("cause", STOPS_AT_ONCE)
def test_what_no_restart_mends(cause):
    following = Story().ends_with(end("exception", cause=cause, steps_done=0, exit_code=1))
    assert (following.stop, following.exit_code, following.cause) == (True, 1, cause)
    assert knowledge().policy.row(cause, "").stop in following.text


def test_a_guess_is_no_reason_to_stop_at_once():
    guessed = end(cause="cudnn-mismatch", confidence="low", steps_done=0)
    assert Story().ends_with(guessed).action == "restart"


def test_a_faulty_installation_shows_before_the_first_step():
    late = end(cause="cudnn-mismatch", steps_done=100)
    assert Story().ends_with(late).action == "restart"
    data = end("exception", cause="data-shape-dtype", steps_done=100)
    assert Story().ends_with(data).stop


@pytest.mark.parametrize(("steps", "action"), [(0, "stop"), (5, "restart")])
def test_an_error_of_python_is_tried_once_more_after_steps(steps, action):
    story = Story()
    failing = end("exception", cause="unknown", steps_done=steps, exit_code=1)
    assert story.ends_with(failing).action == action


def test_an_error_of_python_is_not_tried_twice_more():
    story = Story()
    assert not story.ends_with(end("exception", exit_code=1)).stop
    following = story.ends_with(end("exception", step=13, exit_code=1))
    assert (following.stop, following.exit_code) == (True, 1)


def test_pauses_double():
    story = Story()
    pauses = [
        story.ends_with(end(cause="multi-gpu-comm", step=12 + n)).wait_seconds for n in range(2)
    ]
    assert pauses == [15.0, 30.0]


def test_a_worker_that_only_reports_the_end_of_another_starts_again_and_hears_nothing_of_nccl():
    story = Story(TWO_GPUS)
    lost = end("exception", cause="multi-gpu-comm", fallout=True, exit_code=1)
    taken = [story.ends_with(lost) for _ in range(5)]
    assert [following.action for following in taken] == ["restart"] * 5
    assert [following.wait_seconds for following in taken[:3]] == [5.0, 10.0, 20.0]
    assert "(another worker failed first)" in taken[0].text
    last = story.ends_with(lost)
    assert last.stop
    assert "Another worker keeps failing first" in last.text
    assert "NCCL" not in last.text


def test_a_hang():
    story = Story()
    hung = end("hung", cause="unknown", signal="SIGKILL")
    following = story.ends_with(hung)
    assert (following.action, following.cause) == ("restart", "hang")
    assert "stacks.txt" in story.ends_with(hung).text


@pytest.mark.parametrize(
    ("cause", "action"),
    [("", "planned-restart"), ("gpu-memory-leak", "planned-restart"), ("host-oom", "restart")],
)
def test_a_planned_end_goes_on(cause, action):
    story = Story(ONE_GPU)
    for count in range(1, 30):
        step = 100 * count
        assert story.ends_with(end("planned", step, step, cause=cause)).action == action


def test_planned_because_steps_take_more_and_more():
    story = Story(ONE_GPU)
    pressed = end("planned", 50, 50, cause="gpu-oom", batch_size=64)
    following = story.ends_with(pressed)
    assert following.action == "smaller-micro-batch"
    assert following.orders.micro_batches == {"1": 32}
    whole = end("planned", 90, 90, cause="gpu-oom", batch_size=None)
    assert Story(ONE_GPU).ends_with(whole).action == "planned-restart"


def test_planned_because_of_fragmentation():
    story = Story(ONE_GPU)
    fragmented = end("planned", cause="gpu-fragmentation")
    assert story.ends_with(fragmented).action == "other-allocator"
    later = end("planned", 50, 50, cause="gpu-fragmentation")
    assert story.ends_with(later).action == "planned-restart"


def test_a_lost_parent_is_no_fault_of_the_training():
    assert Story().ends_with(end("lost")).action == "restart"


@pytest.mark.parametrize("row", knowledge().policy.table.rows, ids=lambda row: row.cause)
def test_nothing_is_tried_for_ever(row):
    story = Story(TWO_GPUS, allow=("jit-off", "mixed-precision"), max_attempts=1000)
    outcome = row.outcome or "crashed"
    actions = story.until_it_stops(end(outcome, cause=row.cause, steps_done=0, ended=1.0))
    assert actions[-1] == "stop"
    assert len(actions) < 25


def test_numbers_of_exits():
    assert Story().ends_with(end("exited", exit_code=-9)).exit_code == 137
    assert Story().ends_with(end("exited", signal="SIGNONSENSE")).exit_code == 1


def test_places_are_said_as_people_count():
    def text(place: Place) -> str:
        one = msgspec.structs.replace(end("killed"), last=place, saved=Place())
        return Story().ends_with(one).text

    assert "before the first fit" in text(Place())
    assert "before the first step" in text(Place(fit=1))
    assert "after epoch 2 of fit 3" in text(Place(fit=3, epoch=2, total_steps=20))
    assert "after step 7 of epoch 1" in text(Place(fit=1, step=7, total_steps=7))
    assert "from the beginning" in text(Place())


def test_what_comes_after_a_fit_is_not_in_it():
    story, after = Story(), end("exception", step=20, saved=20, after_fit=True, saved_end=True)
    assert story.ends_with(after).text == (
        "Attempt 1 ended with an error after the end of fit 1. It starts again, from the end of "
        "fit 1."
    )
    text = story.ends_with(after).text
    assert "after the end of fit 1 again. fitguard stops here" in text


def test_a_fault_of_fitguard_is_not_tried_with_remedies_for_others():
    failed = Failed(time=1.0, kind=OWN_FAULT, error="This is a fault of fitguard")
    following = Story().ends_with(end("exception", cause="unknown", failed=failed, steps_done=0))
    assert following.stop
    assert following.text.endswith("This is a fault of fitguard itself. See above.")
