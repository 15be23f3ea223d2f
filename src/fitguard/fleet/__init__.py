"""The fleet: many trainings on the cards of many machines.

What decides is pure: no Ray, no clock, no files but the one of jobs.

    jobs.py           jobs.yaml, or what Python gives ──> FleetJob
    jobs_here.py      what must be there before they start on this machine
    job_keys.py       what a key of a job may be
    wrong_jobs.py     all that is wrong with them
    sweeps.py         one job for each combination of values
    functions.py      a job that is a function becomes a command
    arguments.py      what it is called with
    signatures.py     what it takes, where nobody imports it
    parcels.py        what goes along where it cannot be imported
    calling/          the program that calls it
    yaml_lines.py     YAML as it is written, and the lines of it

    packing.py        which waiting training goes onto which card
    requests.py       what it asks for, and what it gets
    waiting_line.py   who comes first
    expecting.py      how long each will train
    occupancy.py      who is on which card
    card_room.py      the cards, and what is free of them
    held_cards.py     room that is kept for one that cannot start yet
    waiting_reasons.py  what each one waits for
    preempting.py     who has to leave for a training of higher priority

    retrying.py       what comes next when a training has ended

What does it, on Ray, which is imported inside of functions:

    running.py        `fitguard.fleet.run`: connects, dispatches, answers
    connecting.py     an embedded Ray, or a cluster that runs
    own_folder.py     the folder of an embedded one
    doors.py          which doors of it stand open
    submitted.py      what to know of it as a job of Ray
    dispatching.py    the loop
    trainings.py      a training while the fleet lives
    concluding.py     from the ends of its workers to what comes next
    losses.py         why an actor is gone
    refusing.py       who fits nowhere, and why
    summing_up.py     how many finished, run and wait, now and then
    planning.py       those whose memory nobody told
    measuring.py      those that cannot be planned: what one takes while it trains
    needing.py        what one of them needs: `fitguard plan`
    nodes.py          nodes that come and go
    inspecting.py     what a node tells of its cards and of the storage
    declared.py       cards without a GPU
    fleet_cards.py    all cards: in use, left out, probed
    holding.py        cards in Ray's books
    probing.py        a card that looks sick
    launching.py      from a training and its cards to actors
    limiting.py       what TensorFlow may take of a card
    trainer.py        the actor: `fitguard run` in a process
    tether.py         a process that ends with its parent
    records.py        what the folders of runs tell
    hearing.py        whether snapshots reach a storage that is no folder
    storage/          the folder of runs, or what fsspec reaches
    without_ray.py    stdout, which is for the answer
    reaching.py       whether anybody listens at an address

    publishing.py     the fleet for others to see: an actor with its document
    gauges.py         its numbers, in Ray's metrics
    tuning.py         `fitguard.fleet.make_trainable`: a trial of Ray Tune
    following.py      `fitguard.fleet.status`: reads that document

    surveying.py      doctor and probe on every node at once
    asking.py         what runs on each of them
    traits.py         what they are compared by
    comparing.py      what differs between them, what is wrong with each
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fitguard.fleet.following import status as status
    from fitguard.fleet.running import run as run
    from fitguard.fleet.surveying import doctor as doctor
    from fitguard.fleet.surveying import probe as probe
    from fitguard.fleet.tuning import make_trainable as make_trainable

__all__ = ["doctor", "make_trainable", "probe", "run", "status"]

_PLACES = {
    "doctor": "fitguard.fleet.surveying",
    "make_trainable": "fitguard.fleet.tuning",
    "probe": "fitguard.fleet.surveying",
    "run": "fitguard.fleet.running",
    "status": "fitguard.fleet.following",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'fitguard.fleet' has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)
