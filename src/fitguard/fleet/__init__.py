"""The fleet: many trainings on the cards of many machines.

What decides is pure: no Ray, no clock, no files but the one of jobs.

    jobs.py           jobs.yaml, or what Python gives ──> FleetJob
    job_keys.py       what a key of a job may be
    sweeps.py         one job for each combination of values
    yaml_lines.py     YAML as it is written, and the lines of it

    packing.py        which waiting training goes onto which card
    requests.py       what it asks for, and what it gets
    waiting_line.py   who comes first
    card_room.py      the cards, and what is free of them
    preempting.py     who has to leave for a training of higher priority

    retrying.py       what comes next when a training has ended
"""
