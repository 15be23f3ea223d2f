"""For authors of checks: run one check on a set of facts.

report = run("FG204", facts)
assert report.findings[0].severity == "error"
"""

from fitguard.checks.framework.registry import find_check
from fitguard.checks.framework.runner import judge
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.facts import Facts


def run(name: str, facts: Facts) -> DoctorReport:
    """The report of one check, by code or slug; nothing it requires is run."""
    found = find_check(name)
    if found is None:
        raise ValueError(f"Received {name!r}. Expected the code or slug of a check")
    return judge(facts, select=(found.code,))
