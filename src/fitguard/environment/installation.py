"""Install commands for a set of versions: pip, conda, the official container."""

from fitguard.checks.fixes.installs import requirement
from fitguard.checks.fixes.remedies import constraints as forgotten_bounds
from fitguard.checks.fixes.remedies import pip_line
from fitguard.environment.candidates import Candidate, Constraints
from fitguard.knowledge import Knowledge
from fitguard.schema.resolution import Install
from fitguard.schema.versions import parse, text

# What LD_LIBRARY_PATH held before; an empty entry would put the current folder on the path.
_REST = "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"


def installs(
    candidate: Candidate, constraints: Constraints, tables: Knowledge
) -> tuple[Install, ...]:
    """All ways to install the set on the given platform."""
    windows = constraints.platform is not None and constraints.platform.system == "windows"
    requirements = _requirements(candidate, constraints, tables)
    ways = [
        _pip(candidate, requirements, windows, tables),
        _conda(candidate, requirements, windows, tables),
    ]
    if not windows:
        ways.append(_container(candidate, constraints, tables))
    return tuple(ways)


def _requirements(
    candidate: Candidate, constraints: Constraints, tables: Knowledge
) -> tuple[str, ...]:
    release = candidate.release
    found = [requirement(candidate.facts, release), *forgotten_bounds(release)]
    found += _cudnn_bound(candidate, constraints, tables)
    pinned = constraints.packages.found if constraints.packages else ()
    found += [f"{package.name}=={package.version}" for package in pinned]
    return tuple(found)


def _cudnn_bound(
    candidate: Candidate, constraints: Constraints, tables: Knowledge
) -> tuple[str, ...]:
    """A bound where the extra's pin is a range: the newest cuDNN may have dropped the GPU."""
    pins = tables.cuda.and_cuda(candidate.release.version)
    pin = pins.pin("cudnn") if pins else None
    if pin is None or pin[1].startswith("=="):
        return ()
    bounds = (
        tables.cudnn.format_pip_bound(gpu.compute_capability or "99")
        for gpu in constraints.gpus or ()
    )
    return tuple(dict.fromkeys(f"{pin[0]}{bound}" for bound in bounds if bound))


def _brings_cuda(candidate: Candidate) -> bool:
    return "and-cuda" in candidate.release.gpu_package


def _needs_system_cuda(candidate: Candidate) -> str | None:
    if candidate.facts.libraries is None or _brings_cuda(candidate):
        return None
    return (
        f"pip does not bring CUDA to this release: install CUDA {candidate.cuda} and cuDNN "
        f"{text(parse(candidate.cudnn), 2)} first, or take another way."
    )


def _search_wheels(candidate: Candidate, prefix: str, tables: Knowledge) -> tuple[str, ...]:
    """LD_LIBRARY_PATH for a release that does not look into all wheels of its own extra."""
    row = tables.cuda.unreachable(candidate.release.version)
    if row is None or candidate.facts.libraries is None:
        return ()
    site = f"{prefix}/lib/python{text(parse(candidate.python), 2)}/site-packages/nvidia"
    wheels = dict.fromkeys(component.removesuffix("Lt") for component in row.components)
    folders = ":".join(f"{site}/{wheel}/lib" for wheel in wheels)
    return (f'export LD_LIBRARY_PATH="{folders}{_REST}"',)


def _pip(
    candidate: Candidate, requirements: tuple[str, ...], windows: bool, tables: Knowledge
) -> Install:
    version = text(parse(candidate.python), 2)
    python = f"py -{version}" if windows else f"python{version}"
    tool = "venv" if parse(version) >= (3, 3) else "virtualenv"
    activate = r".venv\Scripts\activate" if windows else ". .venv/bin/activate"
    commands = (
        f"{python} -m {tool} .venv",
        activate,
        *pip_line("pip install", requirements),
        *_search_wheels(candidate, "$VIRTUAL_ENV", tables),
    )
    return Install("pip", commands, _needs_system_cuda(candidate))


def _conda(
    candidate: Candidate, requirements: tuple[str, ...], windows: bool, tables: Knowledge
) -> Install:
    version = text(parse(candidate.python), 2)
    name = f"tf{text(parse(candidate.release.version), 2)}"
    packages = None
    if candidate.facts.libraries is not None and not _brings_cuda(candidate):
        packages = tables.conda(candidate.cuda, candidate.cudnn, candidate.release.version)
    channel = packages.channel if packages else "conda-forge"
    commands = [
        f"conda create -n {name} -c {channel} python={version} pip",
        f"conda activate {name}",
    ]
    if packages:
        commands.append(f"conda install -c {channel} {' '.join(packages.packages)}")
    commands += pip_line("pip install", requirements)
    if packages and not windows:
        commands.append(f'export LD_LIBRARY_PATH="$CONDA_PREFIX/lib{_REST}"')
    commands += _search_wheels(candidate, "$CONDA_PREFIX", tables)
    return Install("conda", tuple(commands))


def _container(candidate: Candidate, constraints: Constraints, tables: Knowledge) -> Install:
    gpu = not constraints.cpu_only
    image = tables.tensorflow.container(candidate.release, gpu=gpu)
    note = "The image brings its own Python."
    if gpu:
        note = (
            "The image brings its own Python and its own CUDA. The host needs the driver and the "
            "NVIDIA Container Toolkit."
        )
    return Install(
        "container", (f"docker run {'--gpus all ' if gpu else ''}--rm -it {image}",), note
    )
