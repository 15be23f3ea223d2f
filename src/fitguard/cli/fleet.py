"""`fitguard fleet`."""

import contextlib
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from fitguard.cli.console import PLAIN_OUTPUT, Output, require_usable, show
from fitguard.cli.fleet_status import status, watch
from fitguard.cli.fleet_survey import Address, doctor, probe
from fitguard.cli.run_values import require_positive
from fitguard.cli.whole_numbers import WHOLE
from fitguard.monitor.run_folder import RUNS
from fitguard.schema.exit_codes import INTERRUPTED, ExitCode
from fitguard.schema.journal import LEFT_AS_ASKED

fleet = App(name="fleet", help="Keep many trainings alive on many GPUs, on Ray.")
fleet.command(doctor)
fleet.command(probe)
fleet.command(status)
fleet.command(watch)


@fleet.command
def fetch(
    storage: Annotated[str, Parameter(name="STORAGE", help="As it was given to `fleet run`.")],
    run: Annotated[str, Parameter(name="RUN", help="The name of the training.")],
    /,
    *,
    runs_folder: Annotated[Path, Parameter(help=f"Where it goes; default: {RUNS}.")] = Path(RUNS),
) -> None:
    """Get a run out of a storage that is no folder.

    Copies the newest state that `fitguard fleet run --storage` has put there into a folder of runs,
    where `fitguard report`, `runs` and `run --resume` find it. Each file is verified. Nothing in
    the storage is changed.

    For example:

        fitguard fleet fetch s3://bucket/runs resnet-1
    """
    from fitguard.cli.run import say
    from fitguard.fleet.storage.fetching import fetch as fetch_run

    path, told = fetch_run(storage, run, runs_folder)
    for text in told:
        say(text)
    say(f"{run} is in {path}")


@fleet.command
def run(
    jobs: Annotated[Path, Parameter(name="JOBS.yaml", help="The trainings.")],
    /,
    *,
    address: Address = None,
    local: Annotated[
        bool,
        Parameter(negative="", help="Use the GPUs of this machine, with a Ray that starts here."),
    ] = False,
    storage: Annotated[
        str,
        Parameter(
            help="Folder of the runs, which all nodes see, or an address of fsspec, such as "
            f"s3://BUCKET/FOLDER; default: {RUNS}."
        ),
    ] = RUNS,
    name: Annotated[
        str | None,
        Parameter(
            help="That `fleet status` finds it by on the cluster; default: by the folder of runs."
        ),
    ] = None,
    nodes: Annotated[
        int | None,
        WHOLE,
        Parameter(help="With cards that will come; before that, nothing is refused or planned."),
    ] = None,
    output: Output = PLAIN_OUTPUT,
) -> int:
    """Train all of them, and get them to the end.

    Each training is a guarded run, on a card where it fits beside others. What dies goes on from
    its last snapshot, on another card or node if need be. After Ctrl-C or SIGTERM all leave with a
    snapshot, and the same command goes on. Exits with 0 when all finished, with 3 when some failed
    or were refused, with 130 after Ctrl-C and 75 after SIGTERM.

    For example:

        fitguard fleet run jobs.yaml --local
        fitguard fleet run jobs.yaml --address auto --storage /shared/runs
        fitguard fleet run jobs.yaml --address auto --storage s3://bucket/runs
        fitguard fleet run jobs.yaml --format html --output fleet.html
    """
    require_usable(output, refused=("sarif",))
    require_positive(nodes=nodes)
    from fitguard.cli.probe import noticing_signals
    from fitguard.cli.run import say
    from fitguard.fleet.running import run as run_fleet
    from fitguard.fleet.without_ray import WithoutRay

    received: list[int] = []

    @contextlib.contextmanager
    def listening() -> Iterator[list[int]]:
        with noticing_signals() as noted:
            try:
                yield noted
            finally:
                received.extend(noted)

    # A thread of Ray may still tell of a lost node while the answer is shown.
    with contextlib.redirect_stdout(WithoutRay(sys.stdout)):
        answer = run_fleet(
            jobs,
            address=address,
            local=local,
            storage=storage,
            name=name,
            nodes=nodes,
            tell=say,
            listening=listening,
        )
        show(answer, output)
    states = {one.state for one in answer.trainings}
    if received and "left" in states:
        return INTERRUPTED if received[0] == signal.SIGINT else LEFT_AS_ASKED
    return ExitCode.FINDINGS if states & {"failed", "refused"} else ExitCode.FINE
