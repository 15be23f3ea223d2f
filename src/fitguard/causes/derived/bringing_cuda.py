"""Remedies: how to get the CUDA and the cuDNN that a TensorFlow asks for."""

from fitguard.causes.derived import surroundings
from fitguard.causes.derived.library_names import (
    component,
    cuda_of,
    find_requesting_releases,
    releases_text,
)
from fitguard.knowledge import knowledge
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.crash import Story
from fitguard.schema.finding import Fix
from fitguard.schema.versions import parse, text


def release_of(story: Story) -> Release | None:
    """The TensorFlow that ran, where its version is known."""
    known = story.facts.tensorflow
    return knowledge().tensorflow.find(known.version) if known is not None else None


def bring(story: Story, missing: tuple[str, ...] = ()) -> Fix:
    """How to get the libraries: for the release at hand, or for those that ask for their names."""
    release = release_of(story)
    if release is None:
        return _by_name(missing)
    wanted = f"CUDA {text(parse(release.cuda), 2)} and cuDNN {text(parse(release.cudnn), 2)}"
    built = f"TensorFlow {release.version} was built with {wanted}"
    if knowledge().cuda.has_and_cuda(release.version) and not surroundings.is_windows(story):
        return Fix(
            text=f"{built}. Let pip bring them beside it, into the environment that trains.",
            commands=(f'python -m pip install "tensorflow[and-cuda]=={release.version}"',),
        )
    return _before_and_cuda(story, release, built)


def _before_and_cuda(story: Story, release: Release, built: str) -> Fix:
    packages = knowledge().conda(release.cuda, release.cudnn, release.version)
    windows = surroundings.is_windows(story)
    place = "bin folder on PATH" if windows else "lib64 folder on LD_LIBRARY_PATH"
    words = (
        f"{built}, and takes no other: install these two beside what is there (from NVIDIA's "
        f"archives, with their {place}, or with conda), or use a TensorFlow made for your CUDA."
    )
    if packages is None:
        return Fix(text=words)
    bring_them = f"conda install -c {packages.channel} {' '.join(packages.packages)}"
    if windows:
        return Fix(text=words, commands=(bring_them,))
    lead = "conda env config vars set LD_LIBRARY_PATH=$CONDA_PREFIX/lib"
    return Fix(text=words, commands=(bring_them, lead))


def _by_name(missing: tuple[str, ...]) -> Fix:
    lines = [line for name in dict.fromkeys(missing) if (line := _describe_library(name))]
    newest = knowledge().tensorflow.newest.version
    told = " ".join(lines[:2]) or "The missing libraries belong to the CUDA that TensorFlow wants."
    return Fix(
        text=f"{told} Install that version beside what is there and put its folder on the "
        "loader's path (LD_LIBRARY_PATH; PATH on Windows), or install a TensorFlow that asks for "
        f"the CUDA you have. In a new environment pip brings both: tensorflow[and-cuda]=={newest}.",
        commands=("fitguard doctor",),
    )


def _describe_library(name: str) -> str | None:
    who = releases_text(name)
    if component(name) == "cudnn":
        cudnn = {text(parse(release.cudnn), 1) for release in find_requesting_releases(name)}
        return f"{who} asks for {name}, of cuDNN {', '.join(sorted(cudnn))}." if who else None
    cuda = cuda_of(name)
    if cuda is None:
        return None
    return f"{name} is of CUDA {cuda}" + (f"; {who} asks for it." if who else ".")
