"""Checks as `fitguard check` makes them, out of the other samples."""

import msgspec
from report.data_reports import BAD_LABELS, HEALTHY_DATA, hostile_data
from report.made_plans import FITS, NO_CARD, TOO_LARGE, hostile_plan

from fitguard.readiness.verdict import compose_report
from fitguard.schema.check import CheckedFit, CheckReport
from fitguard.schema.doctor import DoctorReport


def made_checks(healthy: DoctorReport, broken: DoctorReport) -> dict[str, CheckReport]:
    """One that is ready, one of which everything is wrong, one that did not get to its fit."""
    first = CheckedFit(number=1, line=14, model="digits", data=HEALTHY_DATA, plan=FITS)
    second = CheckedFit(number=2, line=21, model="digits", data=BAD_LABELS, plan=TOO_LARGE)
    noted = msgspec.structs.replace(first, plan=NO_CARD, notes=("fit is called in a thread.",))
    run = {"command": "train.py --epochs 3", "script": "train.py", "seconds": 8.2}
    return {
        "ready": compose_report(doctor=healthy, fits=[first], **run),
        "fails": compose_report(
            doctor=broken, fits=[first, second], notes=["One fit was not looked at."], **run
        ),
        "no card": compose_report(doctor=healthy, fits=[noted], **run),
        "raises": compose_report(doctor=healthy, failure="train.py raised\n  line 3: 1/0", **run),
    }


def hostile_check(text: str, doctor: DoctorReport) -> CheckReport:
    """One whose script has bad words everywhere."""
    fit = CheckedFit(
        line=3, model=text, data=hostile_data(text), plan=hostile_plan(text), notes=(text,)
    )
    return compose_report(
        doctor=doctor, fits=[fit], failure=text, notes=[text], command=text, script=text
    )
