"""Cards and requests for the tests of the packer: sizes in GiB."""

from fitguard.fleet.packing import Packer
from fitguard.fleet.requests import Request
from fitguard.schema.fleet import FleetCard

GIB = 2**30


def card(index, size, *, name="NVIDIA H200", node="n", left_out=""):
    return FleetCard(
        node=node, host=node, index=index, name=name, memory_bytes=size * GIB, left_out=left_out
    )


def ask(name, size, **more):
    return Request(name=name, memory_bytes=size * GIB, **more)


def packer_of(*sizes, **more):
    packer = Packer(**more)
    for index, size in enumerate(sizes):
        packer.add_card(card(index, size))
    return packer


def place(packer):
    """Names and indexes of cards, in the order of the decisions."""
    return [(placed.name, *(index for _, index in placed.cards)) for placed in packer.place()]
