"""`fitguard run` was not proven with these versions of TensorFlow, Keras or Python."""

from fitguard.checks.framework.registry import check
from fitguard.knowledge.supported import judge_versions
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.software import Package, Python

_FIRST_BESIDE_FITGUARD = (2, 12)
"""Older releases have no wheel for a Python on which fitguard runs."""


@check("FG501", "training-unproven")
def training_unproven(
    release: Release, facts: Facts, keras: Package | None = None, python: Python | None = None
) -> Finding | None:
    """
    ## What it means
    `fitguard run`, `fitguard.fit`, `fitguard plan` and `fitguard data` look into Keras and
    TensorFlow, and were tested with the versions of [the table](versions.md). One of yours is older
    or newer. The doctor, `resolve` and `explain` do not depend on it.

    ## Why training crashes
    It does not, because of this. But a crash may find the training unguarded: when it starts, every
    place where fitguard takes hold of Keras is looked at. What has moved is named, and the training
    runs as it would without fitguard: *this fit is not guarded, because …*.

    ## How to fix it
    Take versions of the table, or try: `fitguard run --require-guard train.py` ends at once, with
    exit code 4, where the training cannot be guarded.

    ## When this is wrong
    Most new releases of Keras change nothing that fitguard depends on.

    ## References
    - `docs/versions.md`: what was tested, and when
    """
    if release.minor < _FIRST_BESIDE_FITGUARD:
        return None
    package = (keras.version if keras is not None else None) or ""
    interpreter = (python.version if python is not None else None) or ""
    outside = judge_versions(release.version, "keras", package, interpreter)
    if not outside:
        return None
    evidence = [Evidence(f"TensorFlow {release.version}", "TensorFlow's package")]
    if keras is not None and package:
        evidence.append(Evidence(f"keras {package}", keras.origin))
    if facts.probes and not any(result.failed for result in facts.probes):
        text = "TensorFlow itself computes correctly here: the probes have passed"
        evidence.append(Evidence(text, "fitguard probe"))
    return Finding(
        severity="info",
        confidence="high",
        title=f"`fitguard run` was not proven here: {outside.removesuffix('; the hooks decide')}",
        evidence=tuple(evidence),
        fix=Fix(
            text="Where a training must not go unguarded, start it with --require-guard: it ends "
            "at once if fitguard cannot take hold of this Keras.",
            commands=("fitguard run --require-guard train.py",),
        ),
    )
