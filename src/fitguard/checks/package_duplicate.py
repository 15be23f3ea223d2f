"""Two distributions own the same files, or one distribution is installed twice."""

from collections.abc import Iterator

from fitguard.checks.derived.nvidia_wheels import Clash, clashes
from fitguard.checks.fixes import installs, remedies
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix, Severity
from fitguard.schema.software import Package, Packages

# A second copy in another folder of the path matters for these alone. numpy and protobuf lie twice
# on many machines (the distribution's and the user's), and the first copy simply wins.
_WATCHED_ON_PATH = installs.DISTRIBUTIONS | {"keras", "tf-keras"}


@check("FG113", "package-duplicate")
def package_duplicate(packages: Packages, facts: Facts, knowledge: Knowledge) -> Iterator[Finding]:
    """
    ## What it means
    All TensorFlow distributions (`tensorflow`, `tensorflow-cpu`, `tensorflow-gpu`, `tf-nightly` …)
    own the folder `tensorflow`, and pip lets them lie beside each other: the last one that was
    installed overwrites the files of the others. In the same way `nvidia-cudnn-cu11`,
    `nvidia-cudnn-cu12` and `nvidia-cudnn-cu13` all write to `nvidia/cudnn/lib`. Or one and the same
    distribution is recorded twice, in one folder or in two folders of `sys.path`.

    ## Why training crashes
    Files of two releases in one folder do not fit together: *undefined symbol*, *cannot import name
    … from tensorflow*, segmentation faults. With two builds of one release, the CPU build may have
    won, and the GPU is not used. Removing one of the two takes files away from the other, and then
    *module 'tensorflow' has no attribute …* follows. Two cuDNN wheels with one file name leave a
    cuDNN that is made for another CUDA.

    ## How to fix it
    Uninstall *all* of those that share files, then install the one that is wanted: only then are
    all its files its own. For a copy in another folder, remove the one that is not wanted with the
    pip of the Python it belongs to.

    ## When this is wrong
    `tensorflow-intel`, `tensorflow-macos` and `tensorflow-cpu-aws` beside a `tensorflow` of the
    same version are right: there `tensorflow` is an empty shell. Copies of other packages in two
    folders of the path are usual and are not reported.

    ## References
    - pip documentation, `pip uninstall` and RECORD
    - NVIDIA wheels on PyPI: nvidia-cudnn-cu11, nvidia-cudnn-cu12, nvidia-cudnn-cu13
    """
    yield from _several_tensorflows(packages, facts)
    yield from _twice(packages, facts)
    for clash in clashes(packages, facts, knowledge):
        yield _nvidia_finding(clash, facts)


def _several_tensorflows(packages: Packages, facts: Facts) -> Iterator[Finding]:
    owners = _owners(packages)
    if len({package.name for package in owners}) < 2:
        return
    mixed = len({package.version for package in owners}) > 1
    together = len({package.location for package in owners}) == 1
    used = facts.tensorflow
    taken = (
        f"{used.package} {used.version}" if used and used.package else _format_package(owners[0])
    )
    names = sorted({package.name for package in owners})
    yield Finding(
        severity="error" if mixed and together else "warning",
        title=f"{_join_packages(owners)} are installed together and own the same folder",
        evidence=(
            *_places(owners),
            *([Evidence(f"Python takes {taken}", used.origin)] if used else []),
        ),
        fix=Fix(
            text=f"Uninstall all of them ({', '.join(names)}), then install the one you want. "
            "Removing just one would take files away from the other.",
            commands=_reinstall(facts, taken.replace(" ", "==")),
        ),
    )


def _owners(packages: Packages) -> tuple[Package, ...]:
    """The TensorFlow distributions with files of their own."""
    found = [package for package in installs.find_tensorflow_packages(packages) if package.version]
    shells = {package.version for package in found if package.name not in installs.CARRIERS}
    return tuple(
        package
        for package in found
        if package.name not in installs.CARRIERS or package.version not in shells
    )


def _twice(packages: Packages, facts: Facts) -> Iterator[Finding]:
    for name in dict.fromkeys(item.name for item in packages.found):
        copies = tuple(item for item in packages.find_copies(name) if item.version)
        if len({item.version for item in copies}) < 2:
            continue
        together = len({item.location for item in copies}) < len(copies)
        if not together and name not in _WATCHED_ON_PATH:
            continue
        yield _twice_finding(copies, together, facts)


def _twice_finding(copies: tuple[Package, ...], together: bool, facts: Facts) -> Finding:
    first = copies[0]
    severity: Severity = "error" if together and first.name in installs.DISTRIBUTIONS else "warning"
    where = "recorded twice in one folder" if together else "installed in two folders of sys.path"
    versions = " and ".join(str(item.version) for item in copies)
    return Finding(
        severity=severity,
        title=f"{first.name} is {where}: {versions}",
        evidence=(
            *_places(copies),
            Evidence(f"Python takes {first.version}", first.location or ""),
        ),
        fix=Fix(
            text=f"Uninstall {first.name} until pip knows of none, then install the version you "
            f"want. Until then {first.version} is what counts.",
            commands=_reinstall(facts, f"{first.name}=={first.version}"),
        ),
    )


def _nvidia_finding(clash: Clash, facts: Facts) -> Finding:
    names = [package.name for package in clash.packages]
    kept = clash.wanted or clash.packages[-1]
    end = f": the {clash.library} of one overwrites the other's" if clash.library else ""
    told = f" The loader takes {_format_package(clash.winner)}." if clash.winner else ""
    return Finding(
        severity="error" if clash.breaks else "warning",
        confidence="high" if clash.winner else "medium",
        title=f"{' and '.join(names)} both write to {clash.folder}{end}",
        evidence=_places(clash.packages),
        fix=Fix(
            text=f"Uninstall {' and '.join(names)}, then install {kept.name} again.{told} If "
            "another framework needs the other one, give it an environment of its own.",
            commands=_reinstall(facts, f"{kept.name}=={kept.version}"),
        ),
    )


def _reinstall(facts: Facts, requirement: str) -> tuple[str, ...]:
    """Puts the files of one distribution back, whoever has overwritten them."""
    return remedies.pip_install(facts, requirement, reinstall=True)


def _format_package(package: Package) -> str:
    return f"{package.name} {package.version}"


def _join_packages(packages: tuple[Package, ...]) -> str:
    told = [_format_package(package) for package in packages]
    return f"{', '.join(told[:-1])} and {told[-1]}"


def _places(packages: tuple[Package, ...]) -> tuple[Evidence, ...]:
    return tuple(Evidence(_format_package(package), package.origin) for package in packages)
