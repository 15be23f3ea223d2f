"""`fitguard doctor`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from fitguard.cli.console import PLAIN_OUTPUT, Output, show
from fitguard.schema.exit_codes import ExitCode, UsageError

if TYPE_CHECKING:
    from fitguard.schema.doctor import DoctorReport

Threshold = Literal["error", "warning", "info", "never"]


def doctor(
    *,
    python: Annotated[
        str | None, Parameter(help="The interpreter that trains; default: the active venv's.")
    ] = None,
    deep: Annotated[
        bool, Parameter(negative="", help="Import TensorFlow too, in a child process.")
    ] = False,
    what_if: Annotated[
        tuple[str, ...],
        Parameter(
            negative="",
            consume_multiple=True,
            help="Judge a combination instead of this machine: KEY=VALUE, one or more. "
            "Keys: tf, package, extras, keras, tf-keras, python, cuda, cudnn, driver, gpu, "
            "compute-capability, numpy, protobuf, os, library-path, cuda-toolkits.",
        ),
    ] = (),
    what_if_file: Annotated[Path | None, Parameter(help="The same keys from a JSON file.")] = None,
    facts: Annotated[Path | None, Parameter(help="Judge facts saved by `fitguard facts`.")] = None,
    select: Annotated[
        tuple[str, ...], Parameter(negative="", help="Make these checks only: FG2, FG204 …")
    ] = (),
    ignore: Annotated[tuple[str, ...], Parameter(negative="", help="Leave these checks out.")] = (),
    fail_on: Annotated[
        Threshold | None, Parameter(help="Exit with 3 from this severity on; default: error.")
    ] = None,
    output: Output = PLAIN_OUTPUT,
) -> int:
    """Will this machine train?

    Judges driver, CUDA, cuDNN, TensorFlow, Keras, packages, container and GPU, and says what to
    change. TensorFlow is not imported unless --deep is given.

    For example:

        fitguard doctor
        fitguard doctor --python .venv/bin/python --deep
        fitguard doctor --what-if tf=2.10.1 --what-if gpu="Tesla K80"
        fitguard doctor --format markdown --output report.md
    """
    from fitguard.cli.configuration import read_configuration
    from fitguard.environment.doctor import doctor as judge_environment
    from fitguard.environment.supposition import parse_arguments, read_file

    configuration = read_configuration(Path.cwd())
    supposed = None
    if what_if or what_if_file:
        supposed = {**(read_file(what_if_file) if what_if_file else {}), **parse_arguments(what_if)}
    report = judge_environment(
        python=python,
        deep=deep,
        facts=facts,
        what_if=supposed,
        select=_known((*configuration.select, *select)),
        ignore=_known((*configuration.ignore, *ignore)),
    )
    show(report, output)
    return _exit_code(report, fail_on or configuration.fail_on)


def _known(given: tuple[str, ...]) -> tuple[str, ...]:
    """The names, also such as `FG2,FG3`; each must be the code, slug or prefix of a check."""
    from fitguard.checks.registry import all_checks

    checks = all_checks().values()
    names = tuple(name.strip() for item in given for name in item.split(","))
    for name in names:
        if not any(item.code.startswith(name.upper()) or item.slug == name for item in checks):
            raise UsageError(
                f"Received {name!r}, which no check bears. Expected a code, a prefix or a slug: "
                "FG204, FG2, cudnn-too-old"
            )
    return names


def _exit_code(report: "DoctorReport", threshold: Threshold) -> ExitCode:
    from fitguard.schema.finding import at_least

    if threshold == "never":
        return ExitCode.FINE
    failing = any(at_least(finding.severity, threshold) for finding in report.findings)
    return ExitCode.FINDINGS if failing else ExitCode.FINE
