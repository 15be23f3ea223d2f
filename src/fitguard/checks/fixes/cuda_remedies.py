"""Fixes for the CUDA libraries: where to get them, and how to lead the loader to the right ones."""

import shlex
from collections.abc import Iterable
from pathlib import PurePosixPath

import msgspec

from fitguard import shell
from fitguard.checks.derived.build import Build
from fitguard.checks.derived.cuda_libraries import BY_LIBRARY_PATH, folder, format_build
from fitguard.checks.derived.loaded import Loaded
from fitguard.checks.fixes import installs, remedies
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Fix
from fitguard.schema.software import CudaLibraries, Library


def install(facts: Facts, knowledge: Knowledge, build: Build) -> Fix:
    """How to get the CUDA and the cuDNN that this TensorFlow was built with."""
    wanted = format_build(build)
    if installs.by_conda(facts):
        return Fix(
            text=f"Let conda bring {wanted} as this TensorFlow's own dependencies.",
            commands=(installs.conda_with_cuda(build.version),),
        )
    if knowledge.cuda.has_and_cuda(build.version):
        nightly = facts.tensorflow is not None and facts.tensorflow.package == "tf-nightly"
        name = "tf-nightly" if nightly else "tensorflow"
        return Fix(
            text=f"Let pip bring {wanted} beside TensorFlow.",
            commands=remedies.pip_install(facts, f"{name}[and-cuda]=={build.version}"),
        )
    return _before_and_cuda(facts, knowledge, build)


def _before_and_cuda(facts: Facts, knowledge: Knowledge, build: Build) -> Fix:
    wanted = format_build(build)
    windows = shell.is_windows(facts)
    packages = knowledge.conda(build.cuda, build.cudnn, build.version)
    if packages is None:
        place = "bin folders on PATH" if windows else "lib64 folder on LD_LIBRARY_PATH"
        return Fix(text=f"Install {wanted} from NVIDIA's archives, and put their {place}.")
    bring = f"conda install -c {packages.channel} {' '.join(packages.packages)}"
    words = (
        f"Install {wanted}: from NVIDIA's archives, or with conda in the environment that trains. "
        "This release has no and-cuda extra."
    )
    if windows:
        return Fix(text=words, commands=(bring,))
    return Fix(
        text=f"{words} Activate the environment again after that.",
        commands=(bring, "conda env config vars set LD_LIBRARY_PATH=$CONDA_PREFIX/lib"),
    )


def replace(
    facts: Facts,
    knowledge: Knowledge,
    build: Build,
    libraries: CudaLibraries,
    wrong: Loaded,
) -> Fix:
    """How to get a library that fits, instead of one that the loader finds now."""
    fix = install(facts, knowledge, build)
    if wrong.library.found_by != BY_LIBRARY_PATH or not wrong.wanted:
        return fix
    # LD_LIBRARY_PATH comes before everything that pip or the system installs.
    place = folder(wrong.library)
    return msgspec.structs.replace(
        fix,
        text=f"{fix.text} Also remove {place} from LD_LIBRARY_PATH, or it stays first.",
        commands=(*fix.commands, *search(facts, libraries, without=(place,))),
    )


def look_there(facts: Facts, libraries: CudaLibraries, unused: Iterable[Library]) -> Fix:
    """How to lead the loader to libraries that are there already."""
    found = tuple(unused)
    folders = tuple(dict.fromkeys(folder(library) for library in found))
    place = folders[0] if len(folders) == 1 else "the folders that hold it"
    commands = search(facts, libraries, first=folders)
    if any(item.startswith("site-packages") for item in folders):
        # Of a supposed machine nobody knows where its wheels lie.
        commands = search_wheels(facts, found)
    return Fix(
        text=f"What is needed is installed already: put {place} on LD_LIBRARY_PATH before Python "
        "starts.",
        commands=commands,
    )


def search_wheels(facts: Facts, unused: Iterable[Library]) -> tuple[str, ...]:
    """The commands that put wheels on LD_LIBRARY_PATH, wherever they are installed."""
    folders = dict.fromkeys(folder(library).removeprefix("site-packages") for library in unused)
    python = remedies.python_command(facts)
    found = f"$({python} -c 'import sysconfig; print(sysconfig.get_path(\"purelib\"))')"
    begin = [f"$SITE{shlex.quote(name)}" for name in folders]
    return shell.posix_only(facts, f"SITE={found}", _before_the_others(begin))


def search(
    facts: Facts,
    libraries: CudaLibraries,
    *,
    first: Iterable[str] = (),
    without: Iterable[str] = (),
) -> tuple[str, ...]:
    """The command that sets LD_LIBRARY_PATH: some folders first, others left out."""
    begin, out = list(dict.fromkeys(first)), {PurePosixPath(item) for item in without}
    if not out:
        # What is there stays, so that several such commands add up.
        return shell.posix_only(facts, _before_the_others(map(shlex.quote, begin)))
    kept = [
        item for item in libraries.library_path or () if item and PurePosixPath(item) not in out
    ]
    folders = ":".join(map(shlex.quote, [*begin, *kept]))
    name = "LD_LIBRARY_PATH"
    return shell.posix_only(
        facts,
        shell.set_variable(facts, name, folders) if folders else shell.unset_variable(facts, name),
    )


def _before_the_others(quoted: Iterable[str]) -> str:
    return f"export LD_LIBRARY_PATH={':'.join(quoted)}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}"
