"""This Python is older than all those that the TensorFlow release has wheels for."""

from fitguard.checks.fixes import installs
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.software import Python, TensorFlow
from fitguard.schema.versions import parse, text


@check("FG101", "python-too-old")
def python_too_old(
    python: Python, tensorflow: TensorFlow, release: Release, facts: Facts, knowledge: Knowledge
) -> Finding | None:
    """
    ## What it means
    A TensorFlow wheel holds compiled code for one minor version of Python. Each release has wheels
    for a few minors, and this Python is older than those. A minor in a gap of the list (3.4 for
    TensorFlow 1.15, say) counts as too old as well.

    ## Why training crashes
    pip answers *No matching distribution found for tensorflow==…*, or quietly takes an older
    release. If the files come from the folder of another Python (PYTHONPATH, a copied
    environment), the import stops with *No module named '_pywrap_tensorflow_internal'* or *DLL
    load failed*.

    ## How to fix it
    Make a new environment with a Python that the release has a wheel for. An old Python stays on
    the machine untouched. If this Python must stay, the fix names the newest TensorFlow for it.

    ## When this is wrong
    A build by conda, by the Linux distribution or from source can serve other Pythons. Where
    TensorFlow is installed in this Python's own folder, the check is skipped for that reason.

    ## References
    - PyPI, the files of each `tensorflow` release (their tags cp38, cp39 …)
    - TensorFlow, install with pip: <https://www.tensorflow.org/install/pip>
    """
    minor = installs.minor_for_wheel(python, tensorflow)
    served = [parse(item) for item in release.pythons]
    if minor in served or minor > max(served):
        return None
    wheels = installs.pythons_text(release)
    older = installs.newest_release(facts, knowledge, minor)
    stay = f" With Python {text(minor)} the newest is TensorFlow {older.version}." if older else ""
    return Finding(
        title=f"Python {text(minor)} is too old for TensorFlow {release.version}, which needs "
        f"{wheels}",
        evidence=installs.wheel_evidence(python, release, knowledge),
        fix=Fix(
            text=f"Make a new environment with Python {release.pythons[-1]}.{stay}",
            commands=installs.new_environment(facts, release),
        ),
    )
