"""A fleet: many trainings on the GPUs of many machines."""

from typing import Any, Literal

import msgspec

from fitguard.schema.document import Document

FLEET_SCHEMA: Literal["fitguard/fleet/1"] = "fitguard/fleet/1"

JobState = Literal["waiting", "running", "finished", "failed", "refused", "left"]
"""`left`: asked to leave, with a snapshot; it goes on when the fleet is started again."""


class FleetJob(msgspec.Struct, frozen=True, kw_only=True):
    """A training that somebody wants.

    Args:
        name: Of its run and of the folder of that; unique in the fleet.
        command: As behind `fitguard run`: a script and its arguments; empty where there is a
            function.
        function: That trains when it is called, or where it can be imported from:
            `package.module:train`.
        arguments: Of the function, by name.
        folder: Where it starts; absolute.
        environment: Variables beside those of the node.
        memory_bytes: That it needs on each card; None: it is planned before it is placed.
        takes_seconds: That it trains, from its beginning to its end; None where nobody told.
        priority: The higher goes first, and may take the place of a lower one.
        workers: Cards that it trains on at once, each with a worker of its own.
        cards: Names of the cards that will do, with `*`; empty for any.
        options: Of `fitguard run`, such as `("--snapshot-seconds", "60")`.
        python: The interpreter on the nodes; empty for the one of fitguard there.
        parcels: What goes along with the command, where its function cannot be imported; the fleet
            makes them.
    """

    name: str
    command: tuple[str, ...] = ()
    folder: str
    environment: dict[str, str] = {}
    memory_bytes: int | None = None
    takes_seconds: float | None = None
    priority: int = 0
    workers: int = 1
    cards: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    python: str = ""
    function: Any = None
    arguments: dict[str, Any] = {}
    parcels: tuple[bytes, ...] = ()


class FleetCard(msgspec.Struct, frozen=True, kw_only=True):
    """One GPU of one node.

    Args:
        node: The number that Ray gave to the node.
        host: Its name.
        index: Of the card, on its node.
        name: As the driver calls it: `NVIDIA H200`.
        memory_bytes: That trainings may take of it.
        left_out: Why nothing is placed on it; empty for a card in use.
        promised_bytes: That the trainings on it may take of it.
        trainings: Names of those that are on it.
    """

    node: str
    host: str
    index: int
    name: str
    memory_bytes: int
    left_out: str = ""
    promised_bytes: int = 0
    trainings: tuple[str, ...] = ()


class FleetTraining(msgspec.Struct, frozen=True, kw_only=True):
    """A training, and how it is doing.

    Args:
        why: What it waits for, why it leaves or has a whole card, or why it was refused, failed or
            left; empty while all is well.
        cause: Of its last failure, by slug; empty where it had none.
        cards: Those that it is on, as `HOST/INDEX`.
        memory_bytes: That it may take of each; None until it is planned.
        starts: How often the fleet has started it.
        run: The id of its run; empty before it was started.
        seconds: That it trained: over all attempts of its run, as the record of that has them, also
            those under earlier fleets. While it trains, with the time since this start.
    """

    name: str
    state: JobState
    why: str = ""
    cause: str = ""
    cards: tuple[str, ...] = ()
    memory_bytes: int | None = None
    priority: int = 0
    starts: int = 0
    run: str = ""
    seconds: float = 0.0


class Fleet(Document, frozen=True, kw_only=True):
    """What a fleet is doing, or has done.

    Args:
        storage: Where the folders of the runs are.
        name: That others see it by on its cluster; empty where it has none.
        notes: What the user should know, such as a setting of Ray that leaves a door open.
    """

    schema: Literal["fitguard/fleet/1"] = FLEET_SCHEMA
    storage: str
    name: str = ""
    cards: tuple[FleetCard, ...] = ()
    trainings: tuple[FleetTraining, ...] = ()
    notes: tuple[str, ...] = ()
