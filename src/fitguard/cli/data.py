"""`fitguard data`."""

from typing import Annotated

from cyclopts import Parameter

from fitguard.cli.console import PLAIN_OUTPUT, Output, show
from fitguard.cli.judging import FailOn, Ignore, Select, Verbose, exit_code


def data(
    function: Annotated[
        str,
        Parameter(
            name="FILE.py:FUNCTION",
            help="Returns (model, x, y), (model, dataset), or the keyword arguments of fit with "
            "the model.",
        ),
    ],
    /,
    *,
    batch_size: Annotated[
        int | None, Parameter(help="As fit will be given it; default: as FUNCTION says, or 32.")
    ] = None,
    full: Annotated[
        bool, Parameter(negative="", help="Read everything, however long it takes.")
    ] = False,
    budget: Annotated[
        float, Parameter(help="Seconds that reading may take without --full; default: 2.")
    ] = 2.0,
    select: Select = (),
    ignore: Ignore = (),
    fail_on: FailOn = None,
    verbose: Verbose = False,
    output: Output = PLAIN_OUTPUT,
) -> int:
    """Will this data train this model?

    Calls FUNCTION, and judges model and data against each other before GPU time is spent: shapes,
    dtypes, labels against output and loss, indices, nan, weights, validation data, tf.data. Nothing
    is trained. fitguard must be installed beside TensorFlow for it.

    For example:

        fitguard data train.py:make
        fitguard data train.py:make --full
        fitguard data train.py:make --format html --output data.html
    """
    from fitguard.cli.configuration import read_configuration
    from fitguard.cli.progress import bar
    from fitguard.cli.user_function import call, fit_arguments
    from fitguard.inputs.checking import check_data

    configuration = read_configuration()
    arguments = fit_arguments(call(function), function)
    if batch_size is not None:
        arguments["batch_size"] = batch_size
    with bar("Reading") as progress:
        report = check_data(
            **arguments,
            budget_seconds=budget,
            full=full,
            select=(*configuration.selected("data"), *select),
            ignore=(*configuration.ignore, *ignore),
            progress=progress,
        )
    show(report, output, verbose=verbose)
    return exit_code(report.findings, fail_on or configuration.fail_on)
