"""A package is recorded but not whole: its install or removal broke off."""

from collections.abc import Iterator

from fitguard.checks.fixes import installs, remedies
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.software import Package, Packages

_LEFTOVERS = ("~", "-")


@check("FG115", "package-broken")
def package_broken(packages: Packages, facts: Facts, knowledge: Knowledge) -> Iterator[Finding]:
    """
    ## What it means
    pip records each distribution in a folder `name-version.dist-info`. Here such a folder has no
    readable metadata, or it is there and the package's own files are not, or it bears a name such
    as `~ensorflow`: pip renames what it removes, and a run that broke off leaves that behind.

    ## Why training crashes
    After a broken install files are missing: *module 'tensorflow' has no attribute 'keras'*,
    *cannot import name …*, *DLL load failed*. pip cannot upgrade or remove a distribution without
    metadata, and warns of *Ignoring invalid distribution ~ensorflow* in each run. The usual reasons
    are a full disk, a killed pip, a running notebook that holds files (Windows), and conda and pip
    that take turns on one package.

    ## How to fix it
    Install the package again with `--force-reinstall`. Delete leftovers whose name starts with `~`
    by hand, from the folder that the evidence names: nothing uses them.

    ## When this is wrong
    Packages of a Linux distribution or of conda may have trimmed metadata and be whole all the
    same; then the package's own import works.

    ## References
    - Python packaging: recording installed projects
      <https://packaging.python.org/en/latest/specifications/recording-installed-packages/>
    """
    leftovers = [item for item in packages.found if item.name.startswith(_LEFTOVERS)]
    if leftovers:
        yield _leftover(leftovers)
    for package in packages.found:
        if package.problem and package not in leftovers:
            yield _without_metadata(package, packages, facts)
    yield from _without_files(packages, facts, knowledge)


def _leftover(leftovers: list[Package]) -> Finding:
    first = leftovers[0]
    more = f" and {len(leftovers) - 1} more" if len(leftovers) > 1 else ""
    return Finding(
        severity="warning",
        title=f"{first.name}{more}: a leftover of a pip run that broke off",
        evidence=tuple(Evidence(item.problem or item.name, item.origin) for item in leftovers),
        fix=Fix(
            text=f"Delete what starts with ~ in {first.location or 'site-packages'} by hand; "
            "nothing uses it. If the package itself misbehaves, install it again."
        ),
    )


def _without_metadata(package: Package, packages: Packages, facts: Facts) -> Finding:
    whole = any(copy.problem is None for copy in packages.find_copies(package.name))
    grave = package.name in installs.DISTRIBUTIONS and not whole
    return Finding(
        severity="error" if grave else "warning",
        title=f"The metadata of {package.name} is broken: pip can neither upgrade nor remove it",
        evidence=(Evidence(package.problem or package.name, package.origin),),
        fix=Fix(
            text="Install the package again. If pip refuses, delete the folder that the evidence "
            "names by hand first.",
            commands=remedies.pip_install(facts, package.name, reinstall=True),
        ),
    )


def _without_files(packages: Packages, facts: Facts, knowledge: Knowledge) -> Iterator[Finding]:
    """TensorFlow is recorded, all of the path was searched, and its folder is not there."""
    searched = not any(probe.name == "tensorflow" for probe in facts.failed_probes)
    somewhere = facts.tensorflow is not None or packages.unowned is not None
    if somewhere or not packages.complete or not searched:
        return
    for package in installs.find_tensorflow_packages(packages):
        if package.version is None or package.problem or _is_empty(package, knowledge):
            continue
        wanted = f"{package.name}=={package.version}"
        yield Finding(
            title=f"{package.name} {package.version} is recorded as installed, but its files are "
            "gone",
            evidence=(
                Evidence(f"{package.name} {package.version}", package.origin),
                Evidence("no folder tensorflow beside it", package.location or "sys.path"),
            ),
            fix=Fix(
                text="Install it again.",
                commands=remedies.pip_install(facts, wanted, reinstall=True),
            ),
        )
        return


def _is_empty(package: Package, knowledge: Knowledge) -> bool:
    """A tensorflow-gpu that never had files: FG116 speaks of it."""
    empty = knowledge.tensorflow.is_empty_gpu_package(package.version or "0")
    return package.name == "tensorflow-gpu" and empty
