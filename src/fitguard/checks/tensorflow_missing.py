"""No TensorFlow is installed in this Python."""

from fitguard.checks.fixes import installs
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.software import Packages


@check("FG114", "tensorflow-missing")
def tensorflow_missing(packages: Packages, facts: Facts, knowledge: Knowledge) -> Finding | None:
    """
    ## What it means
    All distributions that this Python can import were listed, and TensorFlow is not among them.

    ## Why training crashes
    `import tensorflow` stops with *ModuleNotFoundError: No module named 'tensorflow'*. A common
    reason is that `pip` installs into another Python than the one that runs the script, or that
    a notebook kernel belongs to another environment.

    ## How to fix it
    If TensorFlow lives in another environment, judge that one: `fitguard doctor --python
    path/to/python`. Otherwise install it with `python -m pip`, by the very Python that trains; then
    the two cannot differ. With an NVIDIA GPU on Linux the extra `and-cuda` brings CUDA and cuDNN
    along; without a GPU `tensorflow-cpu` is a far smaller download.

    ## When this is wrong
    A script that changes `sys.path` itself, or an import hook, can find a TensorFlow that is not
    on this Python's path when it starts.

    ## References
    - TensorFlow, install with pip: <https://www.tensorflow.org/install/pip>
    """
    if facts.tensorflow is not None or installs.find_tensorflow_packages(packages):
        return None
    if not packages.complete:
        raise Missing("not all that is installed is known")
    if any(probe.name == "tensorflow" for probe in facts.failed_probes):
        raise Missing("the search for TensorFlow failed")
    where = (facts.python.executable or facts.python.origin) if facts.python else "this Python"
    return Finding(
        title="TensorFlow is not installed in this Python",
        evidence=(Evidence("no TensorFlow among the installed packages", where),),
        fix=_fix(facts, knowledge),
    )


def _fix(facts: Facts, knowledge: Knowledge) -> Fix:
    elsewhere = "If it lives in another environment, name that one with --python."
    minor = installs.minor_of(facts.python) if facts.python else None
    release = installs.newest_release(facts, knowledge, minor)
    if release is not None:
        return Fix(
            text=f"{elsewhere} Otherwise install TensorFlow {release.version}.",
            commands=installs.install(facts, release),
        )
    newest = installs.newest_release(facts, knowledge, None)
    if minor is None or newest is None:
        return Fix(text=f"{elsewhere} `fitguard resolve` says which TensorFlow fits this machine.")
    return Fix(
        text=f"{elsewhere} {installs.no_wheel(facts, minor)} Make a new environment with Python "
        f"{newest.pythons[-1]}.",
        commands=installs.new_environment(facts, newest),
    )
