"""`fitguard data`."""

from typing import TYPE_CHECKING, Annotated

import msgspec
from cyclopts import Parameter

from fitguard.cli.console import PLAIN_OUTPUT, Output, show
from fitguard.cli.fits import (
    Fit,
    findings_of_fits,
    here_again,
    look_at_all_fits,
    read_one_fit,
    require_number,
)
from fitguard.cli.judging import FailOn, Ignore, Select, Verbose, exit_code
from fitguard.cli.other_python import Python, enter_training_python
from fitguard.cli.training_options import Arguments, BatchSize, Script

if TYPE_CHECKING:
    from fitguard.memory.fit_call import FitCall
    from fitguard.schema.data import DataReport


def data(
    script: Script,
    /,
    *arguments: Arguments,
    fit: Fit = 1,
    batch_size: BatchSize = None,
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
    python: Python = None,
    output: Output = PLAIN_OUTPUT,
) -> int:
    """Will this data train this model?

    Runs the script up to its call of fit, or calls FUNCTION, and judges model and data against each
    other before GPU time is spent: shapes, dtypes, labels against output and loss, indices, nan,
    weights, validation data, tf.data. Nothing is trained.

    For example:

        fitguard data train.py
        fitguard data train.py --fit 2 -- --data images
        fitguard data train.py:make --full
        fitguard data train.py:make --format html --output data.html
    """
    from fitguard.cli.configuration import read_configuration
    from fitguard.cli.progress import bar

    enter_training_python("data", python)
    number = require_number(fit)
    configuration = read_configuration()

    def check_call(call: "FitCall") -> "DataReport":
        from fitguard.inputs.checking import check_data
        from fitguard.memory.fit_call import select_data_arguments

        given = select_data_arguments(call, script)
        if batch_size is not None:
            given["batch_size"] = batch_size
        with bar("Reading") as progress:
            report = check_data(
                **given,
                budget_seconds=budget,
                full=full,
                select=(*configuration.filter_selection("data"), *select),
                ignore=(*configuration.ignore, *ignore),
                progress=progress,
            )
        return msgspec.structs.replace(report, place=call.place)

    threshold = fail_on or configuration.fail_on
    if number is None:
        checked = look_at_all_fits(
            "data", script, arguments, None, lambda call: {"data": check_call(call)}
        )
        show(checked, output, verbose=verbose)
        return exit_code(findings_of_fits(checked.fits), threshold)
    with here_again():
        report = check_call(read_one_fit("data", script, arguments, number))
    show(report, output, verbose=verbose)
    return exit_code(report.findings, threshold)
