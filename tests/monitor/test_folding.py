"""Events into the document of a run, torn journals too."""

import math
import random
from itertools import pairwise

import msgspec
import pytest
from monitor.journal_of import JournalOf, at

from fitguard.monitor.folding import MOST_ALERTS, fold
from fitguard.schema.journal import (
    Alerted,
    Decided,
    Failed,
    FitBegan,
    FitEnded,
    Logged,
    MicroBatchChosen,
    Noted,
    NotSplit,
    RunEnded,
    SnapshotFailed,
)
from fitguard.schema.run import MemorySample, Place, Run


def folded(journal: JournalOf, *, alive: bool = False, samples=()) -> Run:
    run = fold(journal.events, samples, folder="fitguard-runs/r1", alive=alive)
    # What is shown must be what a reader of run.json gets back.
    assert msgspec.json.decode(msgspec.json.encode(run), type=Run) == run
    return run


def crashed_once() -> JournalOf:
    """Killed after 17 steps with 15 of them saved; then to the end."""
    journal = JournalOf().run().start(0).save(10).save(15)
    journal.end("killed", 17, signal="SIGKILL", exit_code=-9, cause="host-oom", confidence="high")
    journal.tell(Decided, action="restart", cause="host-oom", text="Again.")
    journal.start(15).tell(FitEnded, place=at(30)).end("finished", 30, exit_code=0)
    return journal.tell(RunEnded, state="finished", exit_code=0)


def test_a_run_that_was_killed_once():
    run = folded(crashed_once())
    assert (run.id, run.command, run.state, run.exit_code) == ("r1", ("train.py",), "finished", 0)
    assert run.fitguard == "0.1.0"
    assert (run.started, run.ended, run.seconds) == (100.0, 111.0, 11.0)
    first, second = run.attempts
    assert (first.outcome, first.signal, first.cause) == ("killed", "SIGKILL", "host-oom")
    assert (first.first, first.last, first.action) == (at(0), at(17), "restart")
    assert (first.steps_done, first.steps_lost) == (17, 2)
    assert (second.outcome, second.first, second.last) == ("finished", at(15), at(30))
    assert (second.steps_done, second.steps_lost) == (15, 0)
    assert [decision.text for decision in run.decisions] == ["Again."]
    assert (run.snapshots.count, run.snapshots.bytes) == (2, 2000)
    assert (run.snapshots.taking_seconds, run.snapshots.writing_seconds) == (0.5, 1.0)
    (fit,) = run.fits
    assert (fit.number, fit.library, fit.batch_size, fit.finished) == (1, "keras", 64, True)


def test_alerts_are_kept_the_newest_of_many():
    journal = JournalOf().run().start(0)
    for number in range(MOST_ALERTS + 3):
        told = {"slug": "gpu-leak", "title": f"{number}", "text": "It grew.", "severity": "error"}
        journal.tell(Alerted, code="FG410", **told, numbers={"left_seconds": 5.0})
    alerts = folded(journal).alerts
    assert len(alerts) == MOST_ALERTS
    assert alerts[-1].title == str(MOST_ALERTS + 2)
    assert (alerts[0].attempt, alerts[0].numbers) == (1, {"left_seconds": 5.0})


def test_a_clock_that_is_put_back_changes_no_more_than_times():
    expected = folded(crashed_once())
    for jump in range(1, 12):
        journal = crashed_once()
        journal.events[jump:] = [
            msgspec.structs.replace(event, time=event.time - 5000)
            for event in journal.events[jump:]
        ]
        run = folded(journal)
        assert (run.state, run.exit_code, run.fits) == ("finished", 0, expected.fits)
        assert [one.outcome for one in run.attempts] == ["killed", "finished"]
        assert [one.last for one in run.attempts] == [at(17), at(30)]
        assert run.seconds == 10.0


def test_any_part_of_a_journal_gives_a_document():
    whole = crashed_once().events
    for seed in range(200):
        chance = random.Random(seed)
        journal = JournalOf()
        journal.events = [event for event in whole if chance.random() < 0.5]
        run = folded(journal, alive=chance.random() < 0.5)
        assert run.id == "r1"
        assert all(one.steps_done >= one.steps_lost >= 0 for one in run.attempts)
        numbers = [one.number for one in run.attempts]
        assert all(one < other for one, other in pairwise(numbers))


def test_nothing_at_all():
    run = folded(JournalOf())
    assert (run.id, run.state, run.attempts, run.started) == ("r1", "lost", (), 0.0)


@pytest.mark.parametrize(("alive", "state"), [(True, "running"), (False, "lost")])
def test_an_attempt_without_an_end_runs_only_where_a_parent_guards_it(alive, state):
    run = folded(JournalOf().run().start(0).save(10), alive=alive)
    assert run.state == state
    (attempt,) = run.attempts
    assert attempt.outcome == state
    assert (attempt.ended is None) == alive
    assert (run.ended, run.exit_code) == (None, None)
    assert attempt.steps_done == 10


def test_an_earlier_attempt_without_an_end_is_lost_though_the_run_is_alive():
    journal = JournalOf().run().start(0).save(10).run(resumed=True).start(10)
    run = folded(journal, alive=True)
    assert [attempt.outcome for attempt in run.attempts] == ["lost", "running"]
    assert run.state == "running"


def test_an_end_holds_while_the_parent_still_writes():
    assert folded(crashed_once(), alive=True).state == "finished"


def test_a_stopped_run_that_is_resumed_runs_again():
    journal = JournalOf().run().start(0).end("crashed", 3)
    journal.tell(RunEnded, state="stopped", exit_code=139).run(resumed=True)
    assert folded(journal, alive=True).state == "running"
    journal.start(0)
    run = folded(journal, alive=False)
    assert (run.state, run.exit_code, run.ended) == ("lost", None, None)


def test_steps_that_two_later_attempts_take_again_count_once_for_each_who_took_them():
    journal = JournalOf().run().start(0).save(10).end("killed", 20)
    journal.start(10).end("killed", 25)
    # The snapshot of step 10 turned out to be torn.
    journal.start(0).end("finished", 30)
    assert [attempt.steps_done for attempt in folded(journal).attempts] == [20, 15, 30]
    assert [attempt.steps_lost for attempt in folded(journal).attempts] == [20, 15, 0]


def test_several_fits():
    journal = JournalOf().run().start(0).save(30).tell(FitEnded, place=at(30))
    journal.fit(0, fit=2, model="head").end("crashed", 5, fit=2)
    journal.start().fit(30, restored=True).fit(0, fit=2, model="head")
    run = folded(journal, alive=True)
    assert [(one.number, one.finished, one.model) for one in run.fits] == [
        (1, True, ""),
        (2, False, "head"),
    ]
    first, second = run.attempts
    assert (first.steps_done, first.steps_lost) == (35, 5)
    assert (second.steps_done, second.first) == (0, at(0, fit=2))


def test_a_fit_whose_end_is_restored_keeps_what_is_known_of_it():
    journal = JournalOf().run().start().fit(model="body", epochs=3)
    journal.tell(FitEnded, place=at(30)).end("crashed", 30)
    journal.start().fit(30, restored=True, batch_size=None, steps_per_epoch=None)
    (fit,) = folded(journal, alive=True).fits
    assert (fit.batch_size, fit.steps_per_epoch, fit.epochs, fit.model) == (64, 10, 3, "body")
    assert fit.finished
    # The journal may have lost how it began.
    (fit,) = folded(JournalOf().run().start().fit(30, restored=True), alive=True).fits
    assert (fit.library, fit.finished) == ("keras", True)


def test_a_short_fit_whose_end_was_not_saved_is_taken_again():
    journal = JournalOf().run().start(0).tell(FitEnded, place=at(5)).end("killed", 5)
    journal.start(0)
    run = folded(journal, alive=True)
    assert not run.fits[0].finished
    assert run.attempts[0].steps_lost == 5


def test_micro_batches_and_what_is_not_exact():
    journal = JournalOf().run().start(0)
    journal.tell(MicroBatchChosen, fit=1, rows=32, of=64, why="out of memory")
    journal.tell(MicroBatchChosen, fit=1, rows=8, of=64, why="", evaluation=True)
    for _ in range(2):
        journal.tell(Noted, kind="inexact", text="BatchNormalization sees 32 rows.", fit=1)
        journal.tell(Noted, kind="snapshot", text="The disk is full.")
    run = folded(journal)
    assert run.fits[0].micro_batch == 32
    assert run.fits[0].inexact == ("BatchNormalization sees 32 rows.",)
    assert [note.kind for note in run.notes] == ["inexact", "snapshot"]
    journal.start(0, micro_batches={"1": 16})
    assert folded(journal).fits[0].micro_batch == 16


def test_the_whole_batch_is_no_micro_batch():
    journal = JournalOf().run().start(0)
    journal.tell(MicroBatchChosen, fit=1, rows=64, of=64, why="it fits")
    assert folded(journal).fits[0].micro_batch is None


def test_a_batch_that_stays_whole_has_no_micro_batch():
    journal = JournalOf().run().start(None, micro_batches={"1": 16})
    journal.tell(NotSplit, fit=1, why="BatchNormalization norm normalizes.")
    journal.tell(FitBegan, place=at(0), library="keras 3.12.0", batch_size=64)
    assert folded(journal).fits[0].micro_batch is None


def test_peaks_come_from_samples_and_from_the_end():
    journal = JournalOf().run().start(0).end("killed", 3, peak_host_bytes=50, peak_gpu_bytes=900)
    samples = [
        MemorySample(time=104.0, attempt=1, host_bytes=70, gpu_bytes=None),
        MemorySample(time=103.0, attempt=1, host_bytes=80, gpu_bytes=700),
        MemorySample(time=105.0, attempt=2, host_bytes=9999),
    ]
    run = folded(journal, samples=samples)
    assert (run.attempts[0].peak_host_bytes, run.attempts[0].peak_gpu_bytes) == (80, 900)
    assert [sample.time for sample in run.samples] == [103.0, 104.0, 105.0]
    assert run.seconds == 5.0


def test_many_losses_are_thinned_and_ends_of_epochs_stay():
    journal = JournalOf().run().start(0)
    for step in range(1, 5001):
        logs = {"loss": 1 / step, "bad": math.nan if step % 2 else math.inf}
        journal.tell(Logged, place=at(step), logs=logs, epoch_end=step % 10 == 0)
    run = folded(journal)
    assert len(run.losses) == 2000
    assert sum(point.epoch_end for point in run.losses) == 500
    assert run.losses[-1].place == at(5000)
    assert set(run.losses[0].logs) == {"loss"}
    times = [point.time for point in run.losses]
    assert times == sorted(times)


def test_failures_of_snapshots_are_counted():
    journal = JournalOf().run().start(0).tell(SnapshotFailed, place=at(3), error="full")
    assert folded(journal).snapshots.failed == 1
    assert folded(journal).attempts[0].last == at(3)


def test_what_the_child_said_of_its_end_shows_how_far_it_got():
    journal = JournalOf().run().start(0).tell(Failed, kind="out-of-memory", place=at(4))
    journal.end("out-of-memory", exit_code=86)
    attempt = folded(journal).attempts[0]
    assert (attempt.last, attempt.steps_done) == (at(4), 4)


def test_events_before_any_attempt_make_none():
    journal = JournalOf().run().tell(Noted, kind="data", text="A generator.")
    assert folded(journal).attempts == ()
    assert [note.text for note in folded(journal).notes] == ["A generator."]


def test_a_journal_that_lost_how_its_fit_began():
    journal = JournalOf().run().start().save(10).save(20)
    run = folded(journal)
    assert run.attempts[0].steps_done == 10
    assert run.attempts[0].first == Place()
    assert run.fits == ()
    journal.tell(FitEnded, place=at(30))
    assert folded(journal).fits[0].finished


def test_many_attempts():
    journal = JournalOf().run()
    for _ in range(200):
        journal.start(0)
        for step in range(50):
            journal.tell(Logged, place=at(step), logs={"loss": 1.0})
        journal.end("killed", 50)
    assert len(folded(journal).attempts) == 200
    assert folded(journal).attempts[0].steps_lost == 50
