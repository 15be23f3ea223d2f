"""How to install another TensorFlow for a GPU, with the CUDA that it needs."""

from fitguard.checks.derived import gpu_releases
from fitguard.checks.derived.cuda_runtime import Runtime
from fitguard.checks.derived.gpu_releases import fits_python
from fitguard.checks.fixes import cuda_remedies, installs, remedies
from fitguard.knowledge import Knowledge
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Fix
from fitguard.schema.versions import text


def for_old_gpu(runtime: Runtime, capability: str, facts: Facts, knowledge: Knowledge) -> Fix:
    """What to install for a GPU that this CUDA or this TensorFlow has left behind."""
    build = runtime.build
    releases = gpu_releases.working(facts, knowledge, capability)
    if build is not None and runtime.loaded and build.cuda != runtime.version:
        same = [release for release in releases if release.version == build.version]
        if same:
            return cuda_remedies.install(facts, knowledge, build)
    if not releases:
        return Fix(text="No TensorFlow in the tables runs on this GPU: use a newer GPU.")
    newest = releases[-1]
    branch = knowledge.drivers.last_branch(capability)
    driver = f" and a driver up to branch {branch}" if branch else ""
    return Fix(
        text=f"Install TensorFlow {newest.version}, the newest that runs on this GPU, with CUDA "
        f"{newest.cuda}{driver}{python_note(newest, facts)}. The container "
        f"{knowledge.tensorflow.container(newest)} holds that CUDA.",
        commands=install(facts, knowledge, newest),
    )


def python_note(release: Release, facts: Facts) -> str:
    """Which Pythons it needs, where the one at hand is none of them."""
    if fits_python(release, facts):
        return ""
    return f"; it needs Python {installs.pythons_text(release)}"


def install(facts: Facts, knowledge: Knowledge, release: Release) -> tuple[str, ...]:
    """The commands: into this environment, or into a new one where its Python does not fit.

    A release without the and-cuda extra gets its CUDA from conda.
    """
    packages = knowledge.conda(release.cuda, release.cudnn, release.version)
    if knowledge.cuda.has_and_cuda(release.version) or packages is None:
        if fits_python(release, facts):
            return installs.install(facts, release)
        return installs.new_environment(facts, release)
    cuda = f"-c {packages.channel} {' '.join(packages.packages)}"
    if fits_python(release, facts):
        return *installs.install(facts, release), f"conda install {cuda}"
    name = f"tf-{text(release.minor)}"
    wanted = (remedies.requirement(release), *remedies.constraints(release))
    return (
        f"conda create -n {name} {cuda} python={knowledge.newest_python(release)} pip",
        *remedies.pip_line(f"conda run -n {name} python -m pip install", wanted),
    )
