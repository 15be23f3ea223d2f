"""`fitguard fleet status` and `fitguard fleet watch`."""

import contextlib
import sys
from typing import Annotated

from cyclopts import Parameter

from fitguard.cli.console import PLAIN_OUTPUT, Output, require_usable, show
from fitguard.cli.fleet_survey import Address
from fitguard.cli.run_values import require_positive

Name = Annotated[str | None, Parameter(help="Of the fleet, where the cluster has several.")]


def status(*, address: Address = None, name: Name = None, output: Output = PLAIN_OUTPUT) -> None:
    """What is the fleet doing?

    Prints once what a fleet on a Ray cluster does now: its cards and what is on them, its
    trainings, who waits for what and why. Exits with 5 where no fleet is at work.

    For example:

        fitguard fleet status
        fitguard fleet status --address ray://head:10001 --name night
        fitguard fleet status --format html --output fleet.html
    """
    require_usable(output, refused=("sarif",))
    from fitguard.fleet.following import status as ask

    show(ask(address, name=name), output)


def watch(
    *,
    address: Address = None,
    name: Name = None,
    json: Annotated[
        bool, Parameter(negative="", help="A line of JSON for each change, for programs.")
    ] = False,
    every: Annotated[float, Parameter(help="Seconds between two looks; default: 1.")] = 1.0,
    show_private: Annotated[
        bool, Parameter(negative="", help="Keep home folders, user and host names, serials.")
    ] = False,
) -> None:
    """Follow the fleet while it works.

    Shows on the whole terminal what `fitguard fleet status` prints, until the fleet has ended.
    Ctrl-C ends the watching, never the fleet. Without a terminal it looks once. Exits with 5 where
    no fleet is at work.

    For example:

        fitguard fleet watch
        fitguard fleet watch --json --address ray://head:10001
    """
    require_positive(every=every)
    from fitguard.cli.watch import print_moments, write_lines
    from fitguard.fleet.following import follow, skip_unchanged
    from fitguard.report.privacy.redaction import redact_here

    with (
        contextlib.suppress(KeyboardInterrupt),
        contextlib.closing(follow(address, name=name, every_seconds=every)) as moments,
    ):
        told = skip_unchanged(moments) if json else moments
        shown = told if show_private else map(redact_here, told)
        if json:
            write_lines(shown)
        else:
            print_moments(shown, once=not sys.stdout.isatty())
