"""Judges data against a model."""

from collections.abc import Iterable
from typing import Any

from fitguard.checks.framework.fixtures import OF_DATA, Missing, Resolver
from fitguard.checks.framework.runner import Judgement, run_checks, select_checks
from fitguard.schema.data import DataFacts


def judge_data(
    data: DataFacts, *, select: str | Iterable[str] = (), ignore: str | Iterable[str] = ()
) -> Judgement:
    """Judge what was seen of data and model.

    Args:
        select: Codes, prefixes or slugs to check, also such as `FG60,FG61`; all where empty.
        ignore: Those to leave out.

    Raises:
        UsageError: where a name is no check's.
    """
    host = data.host or Missing("how much memory the machine has is not known")
    known: dict[str, Any] = dict(zip(OF_DATA, (data, data.training, host), strict=True))
    return run_checks(select_checks("data", select, ignore), Resolver(known))
