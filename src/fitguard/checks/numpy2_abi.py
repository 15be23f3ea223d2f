"""NumPy 2 with a TensorFlow that was compiled for NumPy 1."""

import re

from fitguard.checks.fixes import installs, remedies
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.software import Package
from fitguard.schema.versions import parse

_FIRST_WITH_NUMPY_2 = "2.18"


@check("FG106", "numpy2-abi")
def numpy2_abi(
    numpy: Package, release: Release, facts: Facts, knowledge: Knowledge
) -> Finding | None:
    """
    ## What it means
    NumPy 2 changed its binary interface. TensorFlow up to 2.17 was compiled for NumPy 1 and cannot
    load NumPy 2. Releases 2.7 to 2.11 and 2.14.0 do not say so in their metadata, so pip installs
    NumPy 2 beside them without a word.

    ## Why training crashes
    `import tensorflow` stops with *numpy.core.umath failed to import*, *A module that was compiled
    using NumPy 1.x cannot be run in NumPy 2*, *AttributeError: _ARRAY_API not found* or *Unable to
    convert function return value to a Python type*. Measured: 2.12.1, 2.15.1, 2.16.2 and 2.17.1
    with NumPy 2.0.2 all fail at the import.

    ## How to fix it
    Install NumPy 1 in the range that the release asks for, or use TensorFlow 2.18 or newer.
    Another package may have asked for NumPy 2: pip names it when it installs NumPy 1.

    ## When this is wrong
    conda-forge compiles its own TensorFlow, from 2.17 on for NumPy 2; the check is skipped for
    conda's builds. NumPy above the upper bound of 2.18 (below 2.1) and 2.19 (below 2.2) works all
    the same: 2.18.1 and 2.19.1 were measured with NumPy 2.3, so that is no finding.

    ## References
    - NumPy 2.0 migration guide: <https://numpy.org/doc/stable/numpy_2_0_migration_guide.html>
    - TensorFlow 2.18 release notes (NumPy 2 support)
    """
    if release.numpy2 or parse(numpy.version or "1")[0] < 2:
        return None
    if installs.by_conda(facts):
        raise Missing("conda's solver chooses the NumPy for its own build of TensorFlow")
    asked = f" and asks for numpy {release.numpy.split(' [')[0]}" if "<" in release.numpy else ""
    return Finding(
        title=f"NumPy {numpy.version} cannot be loaded by TensorFlow {release.version}, which was "
        "compiled for NumPy 1",
        evidence=(
            Evidence(f"numpy {numpy.version}", numpy.origin),
            Evidence(
                f"TensorFlow {release.version} was compiled for NumPy 1{asked}",
                installs.metadata_source(knowledge),
            ),
        ),
        fix=Fix(
            text=f"Install NumPy 1, or use TensorFlow {_FIRST_WITH_NUMPY_2} or newer.",
            commands=remedies.pip_install(facts, f"numpy{_range(release)}"),
        ),
    )


def _range(release: Release) -> str:
    """The release's own range, its upper bound set where it forgot one."""
    # Ranges by Python version differ in the lower bound alone; NumPy 1.26 fits them all.
    if "[" in release.numpy:
        return ">=1.26,<2"
    if re.search(r"<|~=", release.numpy):
        return release.numpy
    return f"{release.numpy},<2"
