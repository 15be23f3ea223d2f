"""Whose fault an Xid in the kernel log is."""

from typing import Literal

from fitguard.knowledge import knowledge
from fitguard.schema.crash import Signal, Story

Blame = Literal["hardware", "program", "driver", "fallout"]

# Cleaning up after another fault, and the announcement of what to do about one.
_FALLOUT = {43, 45, 154}
# Memory (ECC, rows), bus, power, links: no program can bring these about.
_HARDWARE = {
    *(48, 54, 57, 58, 62, 63, 64, 74, 79, 81, 92, 94, 95, 110, 136, 140, 143, 144, 145),
    *(146, 147, 148, 149, 150, 155, 156, 157, 158, 167, 168, 171, 172),
}


def blame(number: int) -> Blame:
    """Of all that NVIDIA's catalog gives as likely, the likeliest."""
    if number in _FALLOUT:
        return "fallout"
    if number in _HARDWARE:
        return "hardware"
    meaning = knowledge().xids.find(number)
    return "program" if meaning is not None and "user-app" in meaning.causes else "driver"


def xids(story: Story, *blames: Blame) -> tuple[Signal, ...]:
    """The Xids in the story that are to be blamed so."""
    told = story.all("xid", "xid-told")
    return tuple(line for line in told if blame(int(line.values["number"])) in blames)


def format_xid(line: Signal) -> str:
    """`Xid 79 (GPU has fallen off the bus)`."""
    number = int(line.values["number"])
    meaning = knowledge().xids.find(number)
    return f"Xid {number}" + (f" ({meaning.name})" if meaning is not None else "")
