"""`fitguard.resolve()`: from GPU, driver, system and Python to the newest set that works.

Each release is judged by the doctor's own checks, with the CUDA and cuDNN it was built with.
"""

from collections.abc import Mapping

from fitguard.checks.fixes.installs import requirement
from fitguard.environment.candidates import Constraints
from fitguard.environment.installation import installs
from fitguard.environment.openings import openings
from fitguard.environment.search import Found, search
from fitguard.environment.supposition import normalize_keys, suppose, version_of
from fitguard.knowledge import Knowledge, knowledge
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu
from fitguard.schema.resolution import Resolution, VersionSet
from fitguard.schema.software import Platform, Python
from fitguard.schema.versions import parse, text

# Keys of the doctor that describe an install; here the install is the answer.
_NOT_FOR_RESOLVE = ("library-path", "cuda-toolkits", "extras", "package")
_LONGEST_QUOTED = 40


def resolve(
    *,
    what_if: Mapping[str, object] | None = None,
    python: str | None = None,
    facts: Facts | None = None,
) -> Resolution:
    """The newest set of versions that works, with install commands.

    Args:
        what_if: Hardware and pins in the doctor's keys. A machine is described in full: what is
            not given is free. Without gpu, compute-capability, driver and os, the rest of this
            machine counts, and what_if only pins.
        python: The interpreter whose version counts, where this machine does.
        facts: Facts of the machine, instead of gathering them here.

    Example:
        >>> import fitguard
        >>> answer = fitguard.resolve(what_if={"gpu": "Tesla K80", "os": "linux-x86_64"})
        >>> answer.chosen.tensorflow
        '2.14.1'
    """
    given = normalize_keys(what_if or {})
    tables = knowledge()
    constraints = _constraints(given, python, facts, tables)
    found, rejected = search(constraints, tables)
    if found is None:
        return Resolution(
            ok=False,
            given=_format_constraints(constraints),
            rejected=rejected,
            openings=tuple(openings(constraints, tables)),
        )
    return Resolution(
        ok=True,
        given=_format_constraints(constraints),
        chosen=_version_set(found, constraints, tables),
        rejected=rejected,
    )


def _constraints(
    given: Mapping[str, str], python: str | None, facts: Facts | None, tables: Knowledge
) -> Constraints:
    for key in _NOT_FOR_RESOLVE:
        if key in given:
            raise UsageError(
                f"Received --what-if {key}={given[key]}. Expected hardware (gpu, driver, os …) or "
                "pins (tf, python, cuda …): how to install is what resolve answers"
            )
    supposed = suppose(given, tables)
    another_machine = sorted({"gpu", "compute-capability", "driver", "os"} & given.keys())
    if another_machine and (python is not None or facts is not None):
        raise UsageError(
            f"Received {another_machine[0]}={given[another_machine[0]]}, which describes another "
            "machine, and a Python or facts of this one. Expected one of the two"
        )
    machine = supposed if another_machine else facts or _here(python)
    own_python = supposed.python or machine.python
    return Constraints(
        tensorflow=version_of(given, "tf"),
        python=_read_python_version(own_python) if own_python else None,
        cuda=version_of(given, "cuda"),
        cudnn=version_of(given, "cudnn"),
        packages=supposed.packages,
        platform=machine.platform,
        driver=machine.driver,
        gpus=() if machine.gpus is None and _without_cuda(machine.platform) else machine.gpus,
    )


def _read_python_version(python: Python) -> str:
    try:
        return text(parse(python.version), 2)
    except ValueError as error:
        raise UsageError(
            f"Received {python.version[:_LONGEST_QUOTED]!r} as the version of Python. Expected "
            "numbers such as 3.11"
        ) from error


def _without_cuda(platform: Platform | None) -> bool:
    """macOS has no CUDA, and PyPI's wheels for ARM are built without it."""
    return platform is not None and (platform.system == "macos" or platform.machine == "aarch64")


def _here(python: str | None) -> Facts:
    from fitguard.facts.gather import gather

    return gather(python)


def _format_constraints(constraints: Constraints) -> dict[str, str]:
    platform, driver = constraints.platform, constraints.driver
    gpus = constraints.gpus
    described = {
        "tensorflow": constraints.tensorflow,
        "python": constraints.python,
        "cuda": constraints.cuda,
        "cudnn": constraints.cudnn,
        "system": _system(platform) if platform else None,
        "driver": (driver.version or "none") if driver else None,
        "gpu": ", ".join(_gpu_name(gpu) for gpu in gpus) or "none" if gpus is not None else None,
    }
    for package in constraints.packages.found if constraints.packages else ():
        described[package.name] = package.version
    return {key: value for key, value in described.items() if value is not None}


def _gpu_name(gpu: Gpu) -> str:
    if gpu.name is None:
        return f"compute capability {gpu.compute_capability}"
    return f"{gpu.name} ({gpu.compute_capability})" if gpu.compute_capability else gpu.name


def _system(platform: Platform) -> str:
    if platform.wsl:
        return "wsl2"
    machine = platform.machine if platform.system == "linux" else None
    return f"{platform.system}-{machine}" if machine else platform.system


def _version_set(found: Found, constraints: Constraints, tables: Knowledge) -> VersionSet:
    candidate, report = found
    release = candidate.release
    least = tables.drivers.least(candidate.cuda, windows=constraints.windows_drivers)
    return VersionSet(
        tensorflow=release.version,
        package=requirement(candidate.facts, release).partition("==")[0],
        python=candidate.python,
        cuda=None if constraints.cpu_only else candidate.cuda,
        cudnn=None if constraints.cpu_only else text(parse(candidate.cudnn), 2),
        keras=release.keras or None,
        numpy=release.numpy or None,
        protobuf=release.protobuf or None,
        driver_min=None if constraints.cpu_only else least,
        driver_last_branch=constraints.last_driver_branch(tables),
        notes=tuple(finding.title for finding in report.findings),
        install=installs(candidate, constraints, tables),
    )
