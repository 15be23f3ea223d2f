"""Who is refused, with which words, and who is not."""

import pytest

from fitguard.fleet.packing import Packer
from fitguard.fleet.records import RunRecord
from fitguard.fleet.refusing import find_other_command, find_refusals
from fitguard.fleet.requests import Request
from fitguard.fleet.trainings import Training
from fitguard.schema.fleet import FleetCard, FleetJob

GIB = 2**30


class Known:
    def __init__(self, was_larger=0):
        self.was_larger = was_larger

    def explain_given_up(self, _):
        return ""


def make_packer(*cards, **request):
    packer = Packer()
    for index, (memory, left_out) in enumerate(cards):
        packer.add_card(
            FleetCard(
                node="n",
                host="gpu-1",
                index=index,
                name="T4",
                memory_bytes=memory * GIB,
                left_out=left_out,
            )
        )
    packer.add(Request(name="a", **{"memory_bytes": 20 * GIB, **request}))
    return packer


def test_too_large_for_every_card():
    (why,) = find_refusals(make_packer((15, "")), Known()).values()
    assert "20.0 GiB" in why
    assert "T4 on gpu-1" in why
    assert "15.0 GiB" in why


def test_what_was_planned_already_is_not_sent_to_planning():
    (told,) = find_refusals(make_packer((15, "")), Known(), {"b"}).values()
    assert "Without `memory:` it is planned" in told
    (planned,) = find_refusals(make_packer((15, "")), Known(), {"a"}).values()
    assert "Without `memory:`" not in planned
    assert "no micro-batch was found with which it fits" in planned


def test_what_fits_is_not_refused():
    assert find_refusals(make_packer((24, "")), Known()) == {}


def test_a_card_that_is_left_out_or_gone_may_come_back():
    assert find_refusals(make_packer((15, ""), (24, "it is probed")), Known()) == {}
    assert find_refusals(make_packer((15, "")), Known(was_larger=24 * GIB)) == {}
    assert find_refusals(make_packer((15, "")), Known(was_larger=16 * GIB))


def test_more_cards_than_there_are():
    (why,) = find_refusals(make_packer((24, ""), workers=2), Known()).values()
    assert "2 cards" in why


def test_no_card_at_all():
    assert find_refusals(make_packer(whole_card=True, memory_bytes=0), Known())


@pytest.mark.parametrize(
    ("before", "python", "is_same"),
    [
        ((), "", True),
        (("train.py", "--lr", "1"), "", True),
        (("train.py", "--lr", "2"), "", False),
        (("train.py", "--lr", "1"), "py", False),
        (("py", "train.py", "--lr", "1"), "py", True),
    ],
)
def test_a_run_of_another_command_is_not_gone_on_with(before, python, is_same):
    """Finished, failed or left: its result is not what the job asks for."""
    job = FleetJob(name="a", command=("train.py", "--lr", "1"), folder="/f", python=python)
    records = {"a": RunRecord(run="a", state="finished", command=before)}
    why = find_other_command(Training(job), records)
    assert (why == "") == is_same
    assert is_same or "Give the job another name" in why
