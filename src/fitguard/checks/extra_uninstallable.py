"""pip cannot install the and-cuda extra of this release on this Python."""

from fitguard.checks.fixes import remedies
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.software import Python, TensorFlow


@check("FG119", "extra-uninstallable", requires={"FG101", "FG102"})
def extra_uninstallable(
    tensorflow: TensorFlow, python: Python, facts: Facts, knowledge: Knowledge
) -> Finding | None:
    """
    ## What it means
    The extra `and-cuda` of a few releases pins a TensorRT that PyPI does not have, or not for every
    Python that TensorFlow itself has a wheel for: 2.14 pins tensorrt 8.5.3.1, which ends at Python
    3.10; 2.15.0 pins tensorrt-libs 8.6.1, which is not on PyPI at all.

    ## Why training crashes
    It does not come that far: pip stops with *No matching distribution found for tensorrt*, or,
    asked for a range, takes another release in silence.

    ## How to fix it
    For 2.14 take Python 3.9 or 3.10. Instead of 2.15.0 take 2.15.1 or 2.15.0.post1, which dropped
    the pin. Or install TensorFlow without the extra, and CUDA by other means.

    ## When this is wrong
    Where pip also asks NVIDIA's own index, or the wheel was built at home, the pin can be met.

    ## References
    - tensorflow/tensorflow issue 61986
    """
    row = knowledge.cuda.uninstallable(tensorflow.version, python.version)
    if row is None or "and-cuda" not in (tensorflow.extras or ()):
        return None
    release = knowledge.tensorflow.find(tensorflow.version)
    others = [item for item in (release.pythons if release else ()) if item not in row.pythons]
    return Finding(
        severity="error" if others else "warning",
        title=f"tensorflow[and-cuda] {tensorflow.version} asks for {row.pin}, which pip does not "
        f"find for Python {python.version}",
        evidence=(
            Evidence(f"tensorflow[and-cuda]=={tensorflow.version}", tensorflow.origin),
            Evidence(f"Python {python.version}", python.origin),
            Evidence(row.source, knowledge.cuda.uninstallable_table.reference),
        ),
        fix=_fix(others, facts),
    )


def _fix(others: list[str], facts: Facts) -> Fix:
    if others:
        return Fix(text=f"Use Python {others[-1]} for this release, or a newer TensorFlow.")
    return Fix(
        text="Use 2.15.1, which differs in little else and has no such pin.",
        commands=remedies.pip_install(facts, "tensorflow[and-cuda]==2.15.1"),
    )
