"""The journal as a decision needs it."""

from monitor.journal_of import JournalOf, at

from fitguard.monitor.saved_place import Saved
from fitguard.schema.hardware import Xid
from fitguard.schema.journal import (
    AnyEvent,
    Decided,
    Failed,
    FitEnded,
    MicroBatchChosen,
    NotSplit,
)
from fitguard.schema.run import Place
from fitguard.supervise.past_attempts import list_past_attempts
from fitguard.supervise.wording import describe_restart


def test_an_attempt_with_all_that_is_known_of_it():
    journal = JournalOf().run().start(0, micro_batches={"1": 32}).save(10)
    journal.tell(Failed, kind="out-of-memory", place=at(12), rows=32, of=64)
    journal.end("out-of-memory", 12, exit_code=86, cause="gpu-oom", confidence="medium")
    xid = Xid(31, "NVRM: Xid 31")
    (end,) = list_past_attempts(journal.events, [xid])
    assert (end.number, end.outcome, end.exit_code) == (1, "out-of-memory", 86)
    assert (end.cause, end.confidence) == ("gpu-oom", "medium")
    assert (end.first, end.saved, end.last, end.steps_done) == (at(0), at(10), at(12), 12)
    assert end.failed is not None
    assert end.failed.rows == 32
    assert (end.batch_size, end.micro_batch) == (64, 32)
    assert end.orders.micro_batches == {"1": 32}
    assert (end.xids, end.action) == ((xid,), "")
    assert end.ended == journal.events[-1].time


def test_what_the_child_chose_itself_counts_before_the_orders():
    journal = JournalOf().run().start(0, micro_batches={"1": 32})
    journal.tell(MicroBatchChosen, fit=1, rows=16, of=64, why="it ran out").end("crashed", 3)
    assert list_past_attempts(journal.events)[0].micro_batch == 16


def test_why_a_batch_stayed_whole_until_it_was_split():
    journal = JournalOf().run().start(0)
    journal.tell(NotSplit, fit=1, why="Norm normalizes.", allow="batch-statistics")
    assert why_whole(journal.events) == "Norm normalizes."
    evaluated = JournalOf().run().start(0)
    evaluated.tell(NotSplit, fit=1, why="Norm normalizes.")
    evaluated.tell(Failed, kind="out-of-memory", place=at(3), rows=64, of=64, evaluation=True)
    assert why_whole(evaluated.events) is None
    journal.tell(MicroBatchChosen, fit=1, rows=16, of=64, why="its layers are frozen now")
    assert why_whole(journal.events) is None


def why_whole(events: list[AnyEvent]) -> str | None:
    told = list_past_attempts(events)[0].not_split
    return told and told.why


def test_what_is_saved_stays_saved_though_the_next_attempt_never_began():
    journal = JournalOf().run().start(0).save(10).end("killed", 12)
    journal.tell(Decided, action="restart", text="Again.")
    journal.start().end("killed")
    first, second = list_past_attempts(journal.events)
    assert (first.action, second.action) == ("restart", "")
    assert second.saved == at(10)
    assert second.last == Place()


def test_a_torn_snapshot_is_not_saved():
    journal = JournalOf().run().start(0).save(10).save(20).end("killed", 25)
    journal.start(10).end("killed", 22)
    assert [end.saved for end in list_past_attempts(journal.events)] == [at(20), at(10)]


def test_a_snapshot_that_could_not_be_used_is_not_named():
    """All of fit 1 was set aside: the next attempt begins where this one did."""
    journal = JournalOf().run().start(0).save(10).end("killed", 12)
    journal.start(0).end("killed", 3)
    assert [end.saved for end in list_past_attempts(journal.events)] == [at(10), Place()]


def test_the_files_know_better_than_the_journal():
    """The child died between the snapshot and the line that tells of it."""
    journal = JournalOf().run().start(0).save(10).end("killed", 22)
    (end,) = list_past_attempts(journal.events, on_disk=Saved(at(20), end=False))
    assert (end.saved, end.saved_end) == (at(20), False)
    assert describe_restart(end) == ", from the snapshot after epoch 2."


def test_the_beginning_of_the_next_fit_is_nothing_saved():
    journal = JournalOf().run().start(0).save(10).fit(0, fit=2).end("killed", 3, fit=2)
    (end,) = list_past_attempts(journal.events)
    assert (end.saved, end.last) == (at(10), at(3, fit=2))


def test_an_error_behind_a_fit_is_placed_there():
    journal = JournalOf().run().start(0).tell(FitEnded, place=at(20)).save(20)
    journal.tell(Failed, kind="exception").end("exception", 20)
    # The second one is killed before it comes to that fit, the third one in the next.
    journal.start().end("killed")
    journal.start(20).tell(FitEnded, place=at(20)).fit(0, fit=2).end("killed", 3, fit=2)
    ends = list_past_attempts(journal.events)
    assert [end.after_fit for end in ends] == [True, False, False]
    assert [end.saved_end for end in ends] == [True, True, True]


def test_the_last_step_of_a_fit_is_not_its_end():
    (end,) = list_past_attempts(JournalOf().run().start(0).save(20).end("killed", 20).events)
    assert (end.after_fit, end.saved_end) == (False, False)


def test_an_attempt_that_never_ended_is_lost():
    journal = JournalOf().run().start(0).save(10)
    assert [end.outcome for end in list_past_attempts(journal.events)] == ["lost"]


def test_who_resumes_a_run_gives_it_a_fresh_chance():
    journal = JournalOf().run().start(0).save(10).end("crashed", 12)
    journal.run(resumed=True).start(10).end("crashed", 12)
    (end,) = list_past_attempts(journal.events)
    assert (end.number, end.saved, end.first) == (2, at(10), at(10))


def test_no_events():
    assert list_past_attempts([]) == []
