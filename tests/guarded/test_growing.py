"""Memory that is taken only for a while: the batch is split meanwhile, and no longer."""

from concurrent.futures import ThreadPoolExecutor

from guarded.harness import WITHOUT_ONEDNN, GuardedRun, memory_limit, run_plain
from guarded.results import distance

from fitguard.schema.journal import MicroBatchChosen

SCRIPT, TAKEN = "taken_for_a_while.py", 130


def test_the_batch_is_whole_again_when_the_memory_is_free(tmp_path):
    limit = memory_limit(330)
    with (
        ThreadPoolExecutor(2) as pool,
        GuardedRun(tmp_path / "run", SCRIPT, TAKEN, environment=limit) as run,
    ):
        limited = pool.submit(run_plain, SCRIPT, tmp_path / "died.npz", TAKEN, **limit)
        whole = pool.submit(run_plain, SCRIPT, tmp_path / "whole.npz", 0, **WITHOUT_ONEDNN)
        ended = run.wait()
    assert limited.result().code == 1
    assert "ResourceExhaustedError" in limited.result().text
    assert whole.result().code == 0, whole.result().text
    assert ended.code == 0, ended.text
    first, *_, last = run.events(MicroBatchChosen)
    assert first.rows < first.of == last.rows == last.of
    assert "is trained whole again: memory has become free" in ended.text
    assert distance(tmp_path / "whole.npz", run.out) < 1e-5
