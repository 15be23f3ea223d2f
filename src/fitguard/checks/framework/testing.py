"""For authors of checks: run one check on a set of facts.

report = run("FG204", facts)
assert report.findings[0].severity == "error"
"""

from fitguard.checks.framework.data import judge_data
from fitguard.checks.framework.registry import find_check
from fitguard.checks.framework.runner import CheckResults, judge_machine
from fitguard.schema.data import DataFacts
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.facts import Facts


def run(name: str, facts: Facts) -> DoctorReport:
    """The report of one check of the machine, by code or slug; nothing it requires is run."""
    return judge_machine(facts, select=(_code(name),))


def run_data(name: str, data: DataFacts) -> CheckResults:
    """The same for a check of data."""
    return judge_data(data, select=(_code(name),))


def _code(name: str) -> str:
    found = find_check(name)
    if found is None:
        raise ValueError(f"Received {name!r}. Expected the code or slug of a check")
    return found.code
