"""The package tensorflow-gpu of this version installs no TensorFlow."""

from fitguard.checks.fixes import installs
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.software import Packages


@check("FG116", "package-removed")
def package_removed(packages: Packages, facts: Facts, knowledge: Knowledge) -> Finding | None:
    """
    ## What it means
    Since TensorFlow 2.1 the packages `tensorflow` and `tensorflow-gpu` were the same, and
    `tensorflow-gpu` ended with 2.11.0. What PyPI shows as `tensorflow-gpu` 2.12.0 is an empty
    package whose installation stops with an error; later versions do not exist.

    ## Why training crashes
    `pip install tensorflow-gpu` stops with *The "tensorflow-gpu" package has been removed!* or, in
    some versions of setuptools, with an error about an invalid requirement. Nothing is installed,
    and the import finds either no TensorFlow or an old one.

    ## How to fix it
    Ask for `tensorflow[and-cuda]` (2.14 and later), which brings CUDA and cuDNN along, and write
    that into requirements files too. For 2.12 and 2.13 ask for plain `tensorflow`.

    ## When this is wrong
    Someone may have built a package of this name from source. Where its files are found, the check
    says nothing.

    ## References
    - PyPI: the page of the project tensorflow-gpu
    - tensorflow/tensorflow issues 59720 and 60886
    """
    package = packages.first("tensorflow-gpu")
    built = facts.tensorflow is not None and facts.tensorflow.location is not None
    if package is None or package.version is None or built:
        return None
    if not knowledge.tensorflow.is_empty_gpu_package(package.version):
        return None
    release = knowledge.tensorflow.find(package.version)
    wanted = release or knowledge.tensorflow.newest
    return Finding(
        title=f"tensorflow-gpu {package.version} installs no TensorFlow: the package ended with "
        "2.11.0",
        evidence=(
            Evidence(f"tensorflow-gpu {package.version}", package.origin),
            Evidence(
                "2.11.0 is the last tensorflow-gpu; 2.12.0 is an empty package",
                "PyPI, project tensorflow-gpu",
            ),
        ),
        fix=Fix(
            text="Install the package tensorflow instead; its Linux wheels have CUDA.",
            commands=installs.install(facts, wanted),
        ),
    )
