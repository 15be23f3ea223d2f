"""Fleets to show: one that is done, one at work with trouble, a hostile one."""

import msgspec

from fitguard.schema.fleet import Fleet, FleetCard, FleetTraining

GIB = 2**30
H200 = FleetCard(node="9f3a", host="gpu-1", index=0, name="NVIDIA H200", memory_bytes=139 * GIB)
SICK = FleetCard(
    node="77c0",
    host="gpu-2",
    index=3,
    name="NVIDIA A100-SXM4-80GB",
    memory_bytes=79 * GIB,
    left_out="it failed the probe: memory-pattern (fail)",
)

DONE_FLEET = Fleet(
    storage="/shared/runs",
    cards=(H200,),
    trainings=tuple(
        FleetTraining(
            name=f"resnet-{number}",
            state="finished",
            memory_bytes=13 * GIB,
            starts=number,
            run=f"resnet-{number}",
            seconds=3600.0 * number,
        )
        for number in (1, 2)
    ),
)
TROUBLED_FLEET = Fleet(
    storage="/shared/runs",
    name="night",
    cards=(msgspec.structs.replace(H200, promised_bytes=13 * GIB, trainings=("a",)), SICK),
    trainings=(
        FleetTraining(name="a", state="running", cards=("gpu-1/0",), memory_bytes=13 * GIB),
        FleetTraining(name="b", state="waiting", priority=-1, why="needs 13.0 GiB"),
        FleetTraining(name="c", state="failed", cause="data-label-range", why="Labels: 0 to 10."),
        FleetTraining(name="d", state="refused", why="it needs 200.0 GiB of a card"),
        FleetTraining(name="e", state="left", why="it goes on when the fleet is started again"),
    ),
    notes=("This Ray cluster lets in everybody who reaches its ports.",),
)
LEFT_FLEET = Fleet(storage="runs", trainings=(FleetTraining(name="a", state="left"),))

FLEETS = {
    "fleet that is done": DONE_FLEET,
    "fleet with trouble": TROUBLED_FLEET,
    "fleet that left": LEFT_FLEET,
}


def hostile_fleet(text: str) -> Fleet:
    """Every string is hostile."""
    return Fleet(
        storage=text,
        name=text,
        cards=(
            FleetCard(
                node=text,
                host=text,
                index=0,
                name=text,
                memory_bytes=1,
                left_out=text,
                trainings=(text,),
            ),
        ),
        trainings=(
            FleetTraining(name=text, state="failed", why=text, cause=text, cards=(text,), run=text),
        ),
        notes=(text,),
    )
