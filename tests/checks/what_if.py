"""One check on a supposed machine: `what_if("FG304", "tf=2.15", "driver=470")`."""

from fitguard.checks.framework.testing import run
from fitguard.environment.supposition import parse_arguments, suppose
from fitguard.schema.doctor import DoctorReport


def what_if(code: str, *arguments: str) -> DoctorReport:
    """The report of one check on what `--what-if` arguments say."""
    return run(code, suppose(parse_arguments(arguments)))
