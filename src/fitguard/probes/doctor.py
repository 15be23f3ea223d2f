"""`fitguard.doctor()`: will this machine train?

Here, above the rest of the doctor, because `deep` probes.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from fitguard.checks.framework.runner import judge_machine
from fitguard.environment.doctor import gather_facts, take_facts
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.facts import Facts

_IMPORT_SECONDS = 10.0
Tell = Callable[[str, float, float], None]


def doctor(
    *,
    python: str | None = None,
    facts: Facts | str | Path | None = None,
    what_if: Mapping[str, object] | None = None,
    deep: bool = False,
    select: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
    tell: Tell = lambda *_: None,
) -> DoctorReport:
    """Judge whether TensorFlow will train here, without importing it.

    Args:
        python: The interpreter that trains; by default that of the active virtual environment,
            else the running one.
        facts: Facts to judge instead of this machine: a struct, or a file of `fitguard facts`.
        what_if: A combination to judge instead: `{"tf": "2.10.1", "gpu": "Tesla K80"}`.
        deep: Import TensorFlow in a child of the interpreter too, and run the quick probes of
            `fitguard probe`; a crash there is a finding.
        select: Codes or prefixes of the checks to make, such as `FG2`.
        ignore: Codes or prefixes to leave out.
        tell: Is told what `deep` tries now, which share is done, and how many seconds are left.

    Returns:
        The findings, gravest first. `report.ok` is False where one is an error.

    Example:
        >>> import fitguard
        >>> report = fitguard.doctor(what_if={"tf": "1.4.1", "keras": "2.2.4"})
        >>> [finding.slug for finding in report.findings]
        ['keras-too-new-for-tf']
    """
    given = [name for name, value in (("facts", facts), ("what_if", what_if)) if value is not None]
    if len(given) == 2 or (given and (deep or python is not None)):
        raise UsageError(
            "Received several things to judge. Expected one of: this machine (python, deep), "
            "facts, what_if"
        )
    judged = take_facts(facts, what_if)
    if judged is None:
        judged = gather_facts(python)
        judged = _look_deeper(judged, tell) if deep else judged
    return judge_machine(judged, select=select, ignore=ignore)


def _look_deeper(facts: Facts, tell: Tell) -> Facts:
    """What no version tells: whether TensorFlow imports, and whether it computes."""
    from fitguard.environment.deep import import_tensorflow

    tell("the import of TensorFlow", 0.0, _IMPORT_SECONDS)
    facts = msgspec.structs.replace(facts, deep=import_tensorflow(facts))
    if facts.deep is None or not _can_probe(facts.deep.version):
        return facts
    from fitguard.probes.probing import run_probes

    report = run_probes(python=facts.python.executable if facts.python else None, tell=tell)
    return msgspec.structs.replace(facts, probes=report.results)


def _can_probe(tensorflow: str | None) -> bool:
    """Probes are for TensorFlow 2; where it does not import, that is all there is to say."""
    return tensorflow is not None and not tensorflow.startswith(("0.", "1."))
