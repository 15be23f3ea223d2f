"""`fitguard fleet doctor` and `fitguard fleet probe`."""

from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from fitguard.cli.console import PLAIN_OUTPUT, Output, require_usable, show
from fitguard.cli.judging import FailOn, Threshold, exit_code
from fitguard.cli.run_values import require_positive
from fitguard.schema.exit_codes import ExitCode

if TYPE_CHECKING:
    from fitguard.schema.fleet_survey import FleetSurvey

Address = Annotated[
    str | None,
    Parameter(
        help="Of the Ray cluster: auto, HOST:PORT or ray://HOST:PORT; default: RAY_ADDRESS, or the "
        "one that runs on this machine."
    ),
]
NodePython = Annotated[
    str | None, Parameter(help="The interpreter that trains, as the nodes name it.")
]


def doctor(
    *,
    address: Address = None,
    seconds: Annotated[float, Parameter(help="For the answer of a node; default: 60.")] = 60.0,
    python: NodePython = None,
    fail_on: FailOn = None,
    verbose: Annotated[
        bool, Parameter(alias="-v", negative="", help="Show all of what was found.")
    ] = False,
    output: Output = PLAIN_OUTPUT,
) -> int:
    """Will these machines train?

    Runs `fitguard doctor` on every node of a Ray cluster at once. What differs between nodes comes
    first: drivers, versions, cards. A finding of several nodes is listed once. A node that does
    not answer is a result. Nodes have the numbers that Ray gives them; --show-private shows the
    names of their hosts.

    Exits with 3 for findings from the severity of --fail-on on. A node without an answer counts as
    an error, a difference as a warning.

    For example:

        fitguard fleet doctor
        fitguard fleet doctor --address ray://head:10001 --show-private
        fitguard fleet doctor --format html --output nodes.html
    """
    _require_usable(output, seconds)
    from fitguard.cli.configuration import read_configuration
    from fitguard.cli.progress import waiting
    from fitguard.fleet import surveying

    configuration = read_configuration()
    with waiting("asking all nodes"):
        survey = surveying.doctor(
            address, seconds=seconds, python=python, show_private=output.show_private
        )
    show(survey, output, verbose=verbose)
    return _judge(survey, fail_on or configuration.fail_on)


def probe(
    *,
    address: Address = None,
    level: Annotated[
        Literal["quick", "medium"],
        Parameter(help="How much is tried: quick (a minute), medium (5)."),
    ] = "quick",
    only: Annotated[
        tuple[str, ...],
        Parameter(negative="", consume_multiple=True, help="Names of probes; may be several."),
    ] = (),
    seconds: Annotated[float, Parameter(help="For the answer of a node; default: 600.")] = 600.0,
    python: NodePython = None,
    verbose: Annotated[
        bool, Parameter(alias="-v", negative="", help="Show the logs of what failed.")
    ] = False,
    output: Output = PLAIN_OUTPUT,
) -> int:
    """Do the GPUs of these machines really compute?

    Runs `fitguard probe` on every node of a Ray cluster at once. A node is probed when Ray has no
    other work on its GPUs. What differs between nodes comes first: cards that are far slower than
    the same card elsewhere, versions. A failure of several nodes is listed once. A node that does
    not answer is a result. Exits with 4 when a probe failed or a node did not answer.

    For example:

        fitguard fleet probe
        fitguard fleet probe --level medium --address ray://head:10001
        fitguard fleet probe --only matmul-float32 --format json
    """
    _require_usable(output, seconds)
    from fitguard.cli.progress import waiting
    from fitguard.fleet import surveying

    with waiting("probing all nodes"):
        survey = surveying.probe(
            address,
            level=level,
            only=only,
            seconds=seconds,
            python=python,
            show_private=output.show_private,
        )
    show(survey, output, verbose=verbose)
    return ExitCode.FINE if survey.ok else ExitCode.GATE_FAILED


def _require_usable(output: Output, seconds: float) -> None:
    require_positive(seconds=seconds)
    require_usable(output, refused=("sarif",))


def _judge(survey: "FleetSurvey", threshold: Threshold) -> ExitCode:
    if threshold == "never":
        return ExitCode.FINE
    silent = any(one.state == "no-answer" for one in survey.nodes) or not survey.nodes
    if silent or (survey.differences and threshold != "error"):
        return ExitCode.FINDINGS
    return exit_code((one.finding for one in survey.findings), threshold)
