"""What can be installed here: the wheels there are for a Python, a system and a GPU."""

import re

import msgspec

from fitguard import shell
from fitguard.checks.derived import gpu_releases
from fitguard.checks.derived.gpu_code import capability_of
from fitguard.checks.fixes import remedies
from fitguard.checks.framework.fixtures import Missing
from fitguard.knowledge import Knowledge
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Fix
from fitguard.schema.software import Package, Packages, Python, TensorFlow
from fitguard.schema.versions import Version, parse, text

# Wheels that hold TensorFlow's files on one platform; `tensorflow` is a shell there and asks for
# them.
CARRIERS = frozenset(
    f"{start}-{end}"
    for start in ("tensorflow", "tf-nightly")
    for end in ("intel", "macos", "cpu-aws")
)
# All distributions that own the folder `tensorflow`.
DISTRIBUTIONS = CARRIERS | {
    "intel-tensorflow",
    "nvidia-tensorflow",
    "tensorflow",
    "tensorflow-aarch64",
    "tensorflow-cpu",
    "tensorflow-directml",
    "tensorflow-gpu",
    "tensorflow-rocm",
    "tf-nightly",
    "tf-nightly-cpu",
    "tf-nightly-gpu",
}
_NAMED_PYTHON = re.compile(r"python(\d+\.\d+)[/\\]")


def metadata_source(knowledge: Knowledge) -> str:
    """How evidence cites what a wheel asks for and which Pythons it serves."""
    return f"{knowledge.tensorflow.table.reference} (PyPI wheel METADATA)"


def find_tensorflow_packages(packages: Packages) -> tuple[Package, ...]:
    """The TensorFlow distributions that are installed, by their metadata."""
    return tuple(package for package in packages.found if package.name in DISTRIBUTIONS)


def by_conda(facts: Facts) -> bool:
    """Whether conda built this TensorFlow: its builds follow other rules than PyPI's wheels."""
    found = find_tensorflow_packages(facts.packages) if facts.packages else ()
    return any(package.installer == "conda" for package in found)


def minor_of(python: Python) -> Version:
    """(3, 11) of 3.11.7.

    Raises:
        Missing: where only the major is known.
    """
    minor = parse(python.version)[:2]
    if len(minor) < 2:
        raise Missing("the minor version of Python is not known")
    return minor


def minor_for_wheel(python: Python, tensorflow: TensorFlow) -> Version:
    """The minor of the Python that would have to load PyPI's wheel.

    Raises:
        Missing: where TensorFlow lies in the folder of this very Python. pip would not have put
            it there, so whoever did (conda, a build from source) built it for this Python.
    """
    minor = minor_of(python)
    place = tensorflow.location
    named = _NAMED_PYTHON.search(place) if place else None
    if place and (named is None or parse(named[1]) == minor):
        raise Missing("this TensorFlow is installed, so it was built for this Python")
    return minor


def pythons_text(release: Release) -> str:
    """`3.9 to 3.12`, `2.7 and 3.3 to 3.6`: the Pythons that a release has wheels for."""
    threes = [item for item in release.pythons if item.startswith("3")]
    others = [item for item in release.pythons if not item.startswith("3")]
    return " and ".join([*others, f"{threes[0]} to {threes[-1]}"])


def wheel_evidence(python: Python, release: Release, knowledge: Knowledge) -> tuple[Evidence, ...]:
    """The Python at hand, and those that a release has wheels for."""
    wheels = f"TensorFlow {release.version}: wheels for Python {pythons_text(release)}"
    return (
        Evidence(f"Python {python.version}", python.origin),
        Evidence(wheels, metadata_source(knowledge)),
    )


def newest_release(facts: Facts, knowledge: Knowledge, python: Version | None) -> Release | None:
    """The newest release with a wheel for this Python that runs on the GPUs at hand.

    None where there is none; where no GPU is known, the GPUs do not choose.
    """
    known = any(capability_of(gpu, knowledge) for gpu in facts.gpus or ())
    releases = _for_gpus(facts, knowledge) if known else knowledge.tensorflow.all
    fitting = [item for item in releases if python is None or text(python) in item.pythons]
    return fitting[-1] if fitting else None


def no_wheel(facts: Facts, python: Version) -> str:
    """The sentence for a Python that `newest_release` finds nothing for."""
    limit = " that runs on this GPU" if facts.gpus else ""
    return f"No release{limit} has a wheel for Python {text(python)}."


def _for_gpus(facts: Facts, knowledge: Knowledge) -> list[Release]:
    known = [capability_of(gpu, knowledge) for gpu in facts.gpus or ()]
    working = [gpu_releases.working(facts, knowledge, item) for item in known if item]
    if not working:
        return []
    return [release for release in working[0] if all(release in other for other in working)]


def requirement(facts: Facts, release: Release) -> str:
    """What to ask pip for: for a GPU, unless there is surely none or the CPU package is wanted."""
    platform = facts.platform
    wanted = facts.tensorflow.package if facts.tensorflow else None
    if platform is not None and (platform.system == "macos" or platform.machine == "aarch64"):
        return f"tensorflow=={release.version}"
    if facts.gpus != () and wanted != "tensorflow-cpu":
        if shell.is_windows(facts) and not release.windows_gpu:
            return f"tensorflow=={release.version}"
        return remedies.requirement(release)
    if not release.has_cpu_package:
        return f"tensorflow=={release.version}"
    return remedies.requirement(release, gpu=False)


def conda_with_cuda(version: str) -> str:
    """The command for conda's own build of a release with CUDA."""
    return f'conda install -c conda-forge "tensorflow={text(parse(version), 2)}=cuda*"'


def install(facts: Facts, release: Release) -> tuple[str, ...]:
    """The command that installs a release, with the bounds that its wheel forgot."""
    return remedies.pip_install(facts, requirement(facts, release), *remedies.constraints(release))


def new_environment(facts: Facts, release: Release) -> tuple[str, ...]:
    """Commands for a new environment with the newest Python that a release has a wheel for."""
    python = release.pythons[-1]
    needs = (requirement(facts, release), *remedies.constraints(release))
    if facts.python is not None and facts.python.conda:
        return (
            f"conda create -n tensorflow python={python} pip",
            *remedies.pip_line("conda run -n tensorflow python -m pip install", needs),
        )
    if shell.is_windows(facts):
        return (
            f"py -{python} -m venv tensorflow-env",
            *remedies.pip_line(r"tensorflow-env\Scripts\python -m pip install", needs),
        )
    return (
        f"python{python} -m venv tensorflow-env",
        *remedies.pip_line("tensorflow-env/bin/python -m pip install", needs),
    )


def into_wsl(facts: Facts, knowledge: Knowledge) -> Fix:
    """How a GPU under Windows gets to TensorFlow: through WSL2, or by an old release natively."""
    last = [release for release in knowledge.tensorflow.all if release.windows_gpu][-1]
    linux = msgspec.structs.replace(facts, platform=None, python=None)
    inside = newest_release(linux, knowledge, None)
    there = f', and there install "{remedies.requirement(inside)}"' if inside else ""
    words = f"Train in WSL2{there}; the driver stays on Windows, none goes into WSL."
    if not facts.gpus or last in _for_gpus(facts, knowledge):
        words += (
            f" Or stay on Windows with TensorFlow {last.version} (Python {pythons_text(last)}, "
            f"CUDA {last.cuda}), the last with a GPU there."
        )
    return Fix(text=words, commands=("wsl --install",))
