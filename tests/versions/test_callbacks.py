"""The callbacks of Keras go on after a kill as if there had been none."""

from versions.trainings import (
    OFTEN,
    as_package,
    assert_same_bits,
    guarded,
    train_plainly,
    wait_finished,
)


def test_stock_callbacks_go_through_a_kill(package, tmp_path):
    environment, script = as_package(package), "stock_callbacks.py"
    plain = train_plainly(tmp_path / "plain", environment, script)
    mark = tmp_path / "killed"
    with guarded(tmp_path / "run", environment, script, mark, options=OFTEN) as run:
        wait_finished(run)
    assert [attempt.outcome for attempt in run.record.attempts] == ["killed", "finished"]
    assert_same_bits(plain, run.out)
