"""This Python is newer than all those that the TensorFlow release has wheels for."""

from fitguard.checks.fixes import installs
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.software import Python, TensorFlow
from fitguard.schema.versions import Version, parse, text


@check("FG102", "python-too-new")
def python_too_new(
    python: Python, tensorflow: TensorFlow, release: Release, facts: Facts, knowledge: Knowledge
) -> Finding | None:
    """
    ## What it means
    A TensorFlow wheel holds compiled code for one minor version of Python. This Python came out
    after the release, or too shortly before it, and the release has no wheel for it. Python 3.12
    needs TensorFlow 2.16 or newer, Python 3.13 needs 2.20 or newer.

    ## Why training crashes
    pip answers *No matching distribution found for tensorflow==…* or *Could not find a version
    that satisfies the requirement*. If the files come from the folder of another Python
    (PYTHONPATH, a copied environment), the import stops with *No module named
    '_pywrap_tensorflow_internal'* or *DLL load failed*.

    ## How to fix it
    Take the newest TensorFlow that has a wheel for this Python, or keep the release and train with
    an older Python in an environment of its own.

    ## When this is wrong
    A build by conda, by the Linux distribution or from source can serve other Pythons. Where
    TensorFlow is installed in this Python's own folder, the check is skipped for that reason.

    ## References
    - PyPI, the files of each `tensorflow` release (their tags cp312, cp313 …)
    - TensorFlow, install with pip: <https://www.tensorflow.org/install/pip>
    """
    minor = installs.minor_for_wheel(python, tensorflow)
    if minor <= max(parse(item) for item in release.pythons):
        return None
    wheels = installs.pythons_text(release)
    return Finding(
        title=f"Python {text(minor)} is too new for TensorFlow {release.version}, which needs "
        f"{wheels}",
        evidence=installs.wheel_evidence(python, release, knowledge),
        fix=_fix(minor, release, facts, knowledge),
    )


def _fix(minor: Version, release: Release, facts: Facts, knowledge: Knowledge) -> Fix:
    newer = installs.newest_release(facts, knowledge, minor)
    if newer is None:
        return Fix(
            text=f"{installs.no_wheel(facts, minor)} Make a new environment with Python "
            f"{release.pythons[-1]}.",
            commands=installs.new_environment(facts, release),
        )
    if newer.minor[0] != release.minor[0]:
        return Fix(
            text=f"Make a new environment with Python {release.pythons[-1]}: code for TensorFlow "
            f"{release.minor[0]} does not run on {newer.version} as it is.",
            commands=installs.new_environment(facts, release),
        )
    return Fix(
        text=f"Use TensorFlow {newer.version}, which has a wheel for Python {text(minor)}; or "
        f"keep {release.version} in a new environment with Python {release.pythons[-1]}.",
        commands=installs.install(facts, newer),
    )
