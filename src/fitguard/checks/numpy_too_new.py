"""This NumPy 1 is newer than an old TensorFlow can work with."""

from fitguard.checks.fixes import installs, remedies
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.software import Package
from fitguard.schema.versions import parse


@check("FG120", "numpy-too-new", requires={"FG106"})
def numpy_too_new(
    numpy: Package, release: Release, facts: Facts, knowledge: Knowledge
) -> Finding | None:
    """
    ## What it means
    NumPy 1.20 and 1.24 took away or changed what old TensorFlow releases use. Their wheels ask for
    an older NumPy, but pip does not look again when another package upgrades it later.

    ## Why training crashes
    TensorFlow up to 2.6 uses the name `np.object`, which NumPy 1.24 removed: the import stops with
    *module 'numpy' has no attribute 'object'*. Up to 2.4, recurrent layers stop under NumPy 1.20
    and later with *Cannot convert a symbolic Tensor … to a numpy array*. Measured: 2.4.1 with NumPy
    1.19.5, 1.20.3 and 1.24.4, 2.6.5 with 1.19.5, 1.23.5 and 1.24.4, 2.7.4 with 1.24.4.

    ## How to fix it
    Install the NumPy that the wheel asks for, last, so that nothing upgrades it again.

    ## When this is wrong
    For 1.20 to 1.23 only some layers are hit; a model without recurrent layers may train. Builds
    of conda and of distributions may carry patches.

    ## References
    - NumPy 1.20.0 and 1.24.0 release notes, expired deprecations
    - tensorflow/tensorflow issues 62479, 62832
    """
    if len(parse(numpy.version or "")) < 2:
        raise Missing("the minor version of NumPy is not known")
    failure = knowledge.numpy.failure(numpy.version or "", release.version)
    if failure is None or installs.by_conda(facts):
        return None
    asked = release.numpy.split(" [")[0]
    return Finding(
        severity="error" if failure.stops_import else "warning",
        title=f"NumPy {numpy.version} is too new for TensorFlow {release.version}",
        evidence=(
            Evidence(f"numpy {numpy.version}", numpy.origin),
            Evidence(f"{failure.error} ({failure.source})", knowledge.numpy.table.reference),
            Evidence(f"the wheel asks for numpy {asked}", installs.metadata_source(knowledge)),
        ),
        fix=Fix(
            text="Install the NumPy that the wheel was made for.",
            commands=remedies.pip_install(facts, f"numpy>=1.16,<{failure.numpy_from}"),
        ),
    )
