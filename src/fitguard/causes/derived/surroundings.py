"""Where the run took place: a container, WSL, Windows; with a GPU or surely without."""

from fitguard.causes.derived.library_names import component
from fitguard.schema.crash import Signal, Story
from fitguard.schema.finding import Evidence

_SHOWS_A_GPU = (
    "device-created",
    "gpu-found",
    "gpu-listed",
    "gpu-ignored-for-capability",
    "gpu-ignored-for-size",
    "not-built-for-capability",
    "skipping-gpu-registration",
    "xla-gpu-listed",
)


def is_windows(story: Story) -> bool:
    """Native Windows; WSL is none."""
    return story.facts.platform is not None and story.facts.platform.system == "windows"


def is_wsl(story: Story) -> bool:
    """The Windows Subsystem for Linux."""
    return story.facts.platform is not None and story.facts.platform.wsl


def container(story: Story) -> Signal | Evidence | None:
    """What shows that the run was in a container."""
    known = story.facts.container
    if known is not None and known.runtime:
        return Evidence(f"container: {known.runtime}", known.evidence or "the facts given")
    return story.first(
        "in-a-container",
        "container-sees-no-driver",
        "container-runtime-lacks-gpu",
        "said-container-without-gpu",
        "container-mentioned",
    )


def without_gpu(story: Story) -> bool:
    """There surely is no GPU, or a setting hides it on purpose."""
    if story.facts.gpus == ():
        return True
    hidden = (story.facts.environment or {}).get("CUDA_VISIBLE_DEVICES", "0") in ("", "-1")
    return hidden or story.has("gpus-hidden", "said-gpu-hidden")


def with_gpu(story: Story) -> bool:
    """A GPU is surely there, whether or not TensorFlow uses it.

    After the runtime TensorFlow asks for the other libraries only once the driver has shown a GPU.
    """
    if story.facts.gpus or story.has(*_SHOWS_A_GPU):
        return True
    return any(
        component(signal.values["library"]) not in ("cudart", None)
        for signal in story.all("library-missing")
    )


def gpu_meant(story: Story) -> bool:
    """Whether somebody set this machine up for a GPU: there is one, or CUDA, or a driver."""
    facts = story.facts
    loaded = facts.libraries is not None and bool(facts.libraries.found)
    return with_gpu(story) or loaded or (facts.driver is not None and not facts.driver.absent)
