"""What is done where memory is short: on the GPU, in the machine, or in pieces."""

from typing import Any

import msgspec
import pytest
from supervise.story import GIB, NO_GPU, ONE_GPU, Story, at, end, gpu

from fitguard.environment.machine import MachineView
from fitguard.schema.hardware import GpuProcess
from fitguard.schema.journal import BATCH_STATISTICS, Failed, NotSplit
from fitguard.schema.run import Place
from fitguard.supervise.past_attempts import PastAttempt


def oom(rows: int, of: int = 64, **fields: Any) -> PastAttempt:
    told = {"mode": "xla", "place": at(12)} | fields
    failed = Failed(time=0.0, kind="out-of-memory", rows=rows, of=of, **told)
    return end("out-of-memory", exit_code=86, cause="gpu-oom", failed=failed)


def test_out_of_memory_halves_down_to_one_row():
    story = Story()
    sizes = []
    rows = 64
    while not (following := story.ends_with(oom(rows, mode="graph"))).stop:
        assert following.action == "smaller-micro-batch"
        rows = following.orders.micro_batches["1"]
        sizes.append(rows)
    assert sizes == [32, 16, 8, 4, 2, 1]
    assert following.exit_code == 1
    assert "cannot be split any further" in following.text


def test_a_batch_that_must_stay_whole_is_recomputed_with_less_and_less_memory():
    story = Story()
    following = story.ends_with(oom(64, recompute=0.75))
    assert following.action == "recompute"
    assert following.orders.recompute == {"1": 0.75}
    assert following.orders.micro_batches == {}
    assert "with the batch whole, and computes part of each step twice" in following.text
    following = story.ends_with(oom(64, recompute=0.5))
    assert following.orders.recompute == {"1": 0.5}
    for share in (0.4, 0.3):
        following = story.ends_with(oom(64, recompute=share))
    assert following.action == "recompute"
    assert story.ends_with(oom(64, recompute=0.2)).action != "recompute"


def test_what_the_child_found_out_is_not_found_out_again():
    killed = end("killed", signal="SIGKILL", cause="unknown", shares={1: 0.4})
    assert Story().ends_with(killed).orders.recompute == {"1": 0.4}


def test_an_abort_without_a_word_is_recomputed_in_less_memory():
    aborted = end(cause="gpu-oom", signal="SIGABRT", shares={1: 0.4})
    following = Story().ends_with(aborted)
    assert following.action == "recompute"
    assert following.orders.recompute == {"1": pytest.approx(0.3)}


@pytest.mark.parametrize(
    ("rows", "of", "expected"), [(100, 100, 50), (25, 100, 10), (97, 97, 33), (3, 64, 1), (2, 7, 1)]
)
def test_parts_are_equal_where_that_can_be(rows, of, expected):
    following = Story().ends_with(oom(rows, of))
    assert following.orders.micro_batches == {"1": expected}
    assert f"micro-batches of {expected} of the {of} rows" in following.text


def test_out_of_memory_in_evaluation():
    following = Story().ends_with(oom(64, evaluation=True))
    assert following.orders.evaluation_rows == {"1": 32}
    assert following.orders.micro_batches == {}


def test_an_abort_without_a_word_is_halved_from_what_the_journal_knows():
    aborted = end(cause="gpu-oom", signal="SIGABRT", micro_batch=16)
    assert Story().ends_with(aborted).orders.micro_batches == {"1": 8}
    whole = end(cause="gpu-oom", signal="SIGABRT")
    assert Story().ends_with(whole).orders.micro_batches == {"1": 32}
    unknown = end(cause="gpu-oom", batch_size=None)
    assert Story().ends_with(unknown).stop


def test_the_child_knows_best_that_memory_ran_out():
    misread = msgspec.structs.replace(oom(64), cause="numeric-nan")
    assert Story().ends_with(misread).action == "smaller-micro-batch"
    on_the_host = msgspec.structs.replace(oom(64), cause="host-oom")
    assert Story().ends_with(on_the_host).action == "smaller-micro-batch"


def test_what_changes_results_needs_to_be_allowed():
    story = Story(ONE_GPU)
    assert story.ends_with(oom(1)).action == "other-allocator"
    following = story.ends_with(oom(1))
    assert following.stop
    assert "`--allow jit-off` or `--allow mixed-precision`" in following.text


def test_what_is_allowed_is_tried_in_turn():
    story = Story(ONE_GPU, allow=("jit-off", "mixed-precision"))
    story.ends_with(oom(1))
    following = story.ends_with(oom(1))
    assert (following.action, following.changes_results) == ("jit-off", True)
    assert following.orders.jit_off
    following = story.ends_with(oom(1, mode="graph"))
    assert following.action == "mixed-precision"
    assert following.orders.jit_off
    assert following.orders.mixed_precision
    assert story.ends_with(oom(1, mode="graph")).stop


def test_exact_only_wins_over_allow():
    story = Story(ONE_GPU, allow=("jit-off", "mixed-precision"), exact_only=True)
    assert story.until_it_stops(oom(1)) == ["other-allocator", "stop"]


def test_graph_mode_is_not_helped_by_less_xla():
    story = Story(NO_GPU, allow=("jit-off",))
    assert story.ends_with(oom(1, mode="graph")).stop


def test_a_limit_of_the_script_is_kept():
    """CUDA's own pool would take more than the script allows."""
    assert Story(ONE_GPU).until_it_stops(oom(1)) == ["other-allocator", "stop"]
    assert Story(ONE_GPU).until_it_stops(oom(1, limited=True)) == ["stop"]


def test_fragmentation_gets_the_other_allocator():
    story = Story(ONE_GPU)
    fragmented = end("exception", cause="gpu-fragmentation")
    following = story.ends_with(fragmented)
    assert following.action == "other-allocator"
    assert following.orders.environment == {"TF_GPU_ALLOCATOR": "cuda_malloc_async"}
    assert not following.changes_results
    following = story.ends_with(end("exception", cause="gpu-fragmentation", step=13))
    assert following.action == "restart"
    assert following.orders.environment == {"TF_GPU_ALLOCATOR": "cuda_malloc_async"}


def test_before_the_first_step_nothing_is_in_pieces():
    following = Story(ONE_GPU).ends_with(
        msgspec.structs.replace(oom(64, mode="graph"), cause="gpu-fragmentation", steps_done=0)
    )
    assert following.action == "smaller-micro-batch"
    assert following.orders.environment == {}


def test_the_users_own_allocator_stays():
    machine = MachineView(gpus=(gpu(0),), environment={"TF_GPU_ALLOCATOR": "cuda_malloc"})
    following = Story(machine).ends_with(end("exception", cause="gpu-fragmentation"))
    assert following.action == "restart"
    assert following.orders.environment == {}


def test_memory_that_others_hold_is_waited_for():
    held = gpu(0, 30 * GIB, processes=(GpuProcess(4711, "python", 30 * GIB),))
    story = Story(MachineView(gpus=(held,)), wait_seconds=1800.0)
    following = story.ends_with(end("exception", cause="gpu-memory-taken", steps_done=0))
    assert (following.action, following.wait_seconds) == ("wait-for-memory", 1800.0)
    assert 0 < following.needed_share < 1


def limited(machine: MachineView, limit_bytes: int) -> Story:
    story = Story(machine)
    story.orders = msgspec.structs.replace(story.orders, memory_limit_bytes=limit_bytes)
    return story


def test_with_a_limit_only_so_much_is_waited_for():
    taken = end("exception", cause="gpu-memory-taken", steps_done=0)
    half = MachineView(gpus=(gpu(0, 40 * GIB),))
    assert Story(half).ends_with(taken).action == "wait-for-memory"
    assert limited(half, 40 * GIB).ends_with(taken).action == "restart"
    assert limited(half, 41 * GIB).ends_with(taken).action == "wait-for-memory"


def test_an_allocator_without_a_limit_is_no_remedy_where_there_is_one():
    fragmented = end("exception", cause="gpu-fragmentation")
    assert limited(ONE_GPU, 8 * GIB).ends_with(fragmented).action == "restart"


def test_memory_that_nobody_else_holds_is_left_to_the_libraries():
    story = Story(ONE_GPU)
    taken = end("exception", cause="gpu-memory-taken", steps_done=0)
    following = story.ends_with(taken)
    assert following.orders.environment == {"TF_FORCE_GPU_ALLOW_GROWTH": "true"}
    assert following.action == "restart"
    assert story.ends_with(taken).action == "restart"
    assert story.ends_with(taken).action == "smaller-micro-batch"


def test_host_memory():
    story = Story()
    waits = []
    for _ in range(2):
        following = story.ends_with(end("killed", cause="host-oom", signal="SIGKILL", step=12))
        waits.append((following.action, following.wait_seconds))
    # The second time at the same step: another restart alone would end the same way.
    assert waits == [("restart", 10.0), ("smaller-micro-batch", 0.0)]


def test_the_batch_of_a_fit_that_is_not_guarded_is_not_said_to_be_split():
    unguarded = end("exception", cause="gpu-oom", exit_code=1, unguarded=True)
    following = Story().ends_with(msgspec.structs.replace(unguarded, last=Place(), saved=Place()))
    assert following.stop
    assert "in training that is not guarded (gpu-oom)" in following.text
    assert "Training that is not guarded cannot go on in less memory" in following.text


def kept_whole(allow: str = BATCH_STATISTICS, **fields: Any) -> PastAttempt:
    told = NotSplit(time=0.0, fit=1, why="BatchNormalization norm normalizes.", allow=allow)
    return msgspec.structs.replace(oom(64, mode="graph"), not_split=told, **fields)


def test_a_batch_that_stays_whole_is_given_up_at_once_with_the_reason():
    following = Story().ends_with(kept_whole())
    assert (following.action, following.exit_code) == ("stop", 1)
    assert following.text.endswith(
        "(gpu-oom). fitguard stops here: The batch does not fit, and is not split: "
        "BatchNormalization norm normalizes. With `--allow batch-statistics` fitguard would try "
        "more, which changes results."
    )


def test_where_no_word_helps_none_is_named():
    following = Story().ends_with(kept_whole(allow=""))
    assert following.stop
    assert following.text.endswith("BatchNormalization norm normalizes.")


def test_what_else_helps_is_tried_while_the_batch_stays_whole():
    story = Story(ONE_GPU, allow=("mixed-precision",))
    assert story.until_it_stops(kept_whole()) == ["other-allocator", "mixed-precision", "stop"]


def test_flags_are_named_together():
    text = Story().ends_with(msgspec.structs.replace(kept_whole(), failed=None)).text
    assert "With `--allow batch-statistics` or `--allow jit-off` fitguard would try more" in text


def test_memory_of_the_machine_has_a_reason_of_its_own():
    story = Story()
    killed = kept_whole(outcome="killed", cause="host-oom", signal="SIGKILL", failed=None)
    assert story.until_it_stops(killed) == ["restart", "stop"]


def test_what_has_no_room_is_told_and_nothing_smaller_is_tried():
    hopeless = msgspec.structs.replace(oom(64, mode="graph"), no_room="Not even one sample fits: …")
    following = Story().ends_with(hopeless)
    assert following.stop
    assert following.explained
    assert "fitguard stops here: GPU memory is not enough" in following.text
    assert "Not even one sample fits: …" in following.text
    assert not Story().ends_with(kept_whole()).explained


def test_a_batch_that_stays_whole_has_no_room_either():
    following = Story().ends_with(kept_whole(no_room="A batch of 64 does not fit: …"))
    assert "BatchNormalization norm normalizes. A batch of 64 does not fit: …" in following.text
