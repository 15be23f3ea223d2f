"""What was decided: between attempts, and inside of one."""

from monitor.journal_of import JournalOf

from fitguard.monitor.decisions import decisions
from fitguard.schema.journal import Decided, MicroBatchChosen


def test_of_parent_and_child_in_their_order() -> None:
    journal = JournalOf().run().start(0)
    journal.tell(MicroBatchChosen, fit=1, rows=32, of=64, why="out of memory")
    journal.tell(Decided, action="restart", cause="host-oom", text="Again.", changes_results=True)
    inside, between = decisions(journal.events)
    assert (inside.action, inside.attempt) == ("smaller-micro-batch", 1)
    assert inside.text == "The batch of 64 is trained in micro-batches of 32: out of memory"
    assert (between.action, between.cause, between.text) == ("restart", "host-oom", "Again.")
    assert between.changes_results


def test_a_micro_batch_that_stays_is_decided_once() -> None:
    journal = JournalOf().run()
    for rows in (64, 32, 32, 16, 64):
        journal.start(0).tell(MicroBatchChosen, fit=1, rows=rows, of=64, why="")
    told = [(decision.attempt, decision.text) for decision in decisions(journal.events)]
    assert told == [
        (2, "The batch of 64 is trained in micro-batches of 32"),
        (4, "The batch of 64 is trained in micro-batches of 16"),
        (5, "The batch of 64 is trained whole"),
    ]


def test_evaluation_has_micro_batches_of_its_own() -> None:
    journal = JournalOf().run().start(0)
    journal.tell(MicroBatchChosen, fit=1, rows=32, of=64, why="")
    journal.tell(MicroBatchChosen, fit=1, rows=32, of=64, why="", evaluation=True)
    told = [decision.text for decision in decisions(journal.events)]
    assert told[1] == "The batch of 64 is evaluated in micro-batches of 32"
