"""What shows that TensorFlow sees no GPU, where no line says why."""

from fitguard.schema.crash import Signal, Story

_SAYS_SO = ("gpu-not-listed", "said-gpu-not-seen", "gpu-asked-for-in-vain", "gpu-layout-on-cpu")
_SHOWS_IT = ("device-created", "gpu-listed")


def unseen(story: Story) -> tuple[Signal, ...]:
    """The lines that show it; none where a GPU is in use."""
    if story.has(*_SHOWS_IT):
        return ()
    listed = story.all("cpu-device-listed")[:1]
    return (*story.all(*_SAYS_SO)[:2], *listed)
