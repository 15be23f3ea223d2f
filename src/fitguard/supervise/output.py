"""All that one training writes, on its way to the user and to the log."""

import contextlib
import os
from collections.abc import Callable

from fitguard.supervise.carrier import leave_carrier
from fitguard.supervise.channels import open_channels
from fitguard.supervise.desk import Desk
from fitguard.supervise.pausing import Asked, Pause
from fitguard.supervise.pump import Pump

_STDERR = 2
_LOOK_SECONDS = 0.1
_STALLED_SECONDS = 1.0
_STOP_SECONDS = 5.0


class Output:
    """The channels of one training, with a pump for each.

    Args:
        hear: Called with all that is written.
    """

    def __init__(self, desk: Desk, hear: Callable[[bytes], None]) -> None:
        self._desk = desk
        self._hear = hear
        self._pumps: list[Pump] = []
        self.channels = open_channels(desk.stdout, desk.stderr)

    def start(self) -> None:
        """The child holds its ends: carry."""
        self._pumps = [
            Pump(channel.ours, channel.target, self._keep, self._warn) for channel in self.channels
        ]
        for pump in self._pumps:
            pump.start()

    def close(self) -> None:
        """There is no child: give the channels back."""
        for channel in self.channels:
            os.close(channel.ours)

    def copy_window_size(self) -> None:
        """Tell the child's terminals how large the user's is."""
        for channel in self.channels:
            channel.copy_window_size()

    @property
    def in_midline(self) -> bool:
        """Whether the training's last line, where ours go too, is not at its end."""
        beside = zip(self.channels, self._pumps, strict=False)
        return not all(pump.ends_line for channel, pump in beside if _STDERR in channel.feeds)

    @property
    def reader_gone(self) -> bool:
        """Whether nobody reads it any more."""
        return any(pump.reader_gone for pump in self._pumps)

    @property
    def is_stalled(self) -> bool:
        """Whether a reader takes nothing now, so that the training cannot go on."""
        return any(pump.is_stalled(_STALLED_SECONDS) for pump in self._pumps)

    @property
    def is_drained(self) -> bool:
        """Whether all that the child wrote was passed on."""
        return all(pump.drained.is_set() for pump in self._pumps)

    def drain(self, *, called_away: bool) -> Asked | None:
        """The child has ended: pass on all that it wrote, however slow its reader is.

        Args:
            called_away: The user wants the run to end: nobody is waited for who takes nothing.

        Returns:
            What the user asked for meanwhile.
        """
        for pump in self._pumps:
            pump.note_child_ended()
        pause, asked = Pause(self._desk), None
        while not self.is_drained and not asked and not (called_away and self.is_stalled):
            asked = pause(_LOOK_SECONDS)
        self._desk.log.close()
        return asked

    def hand_over(self, *, discard: bool) -> bool:
        """We leave: others carry what processes that the script left behind will write.

        Args:
            discard: The reader leaves with us.

        Returns:
            Whether there are such processes.
        """
        held = [pump for pump in self._pumps if pump.is_alive() and pump.drained.is_set()]
        for pump in held:
            pump.stop()
            pump.join(_STOP_SECONDS)
            if pump.source >= 0 and not pump.is_alive():
                _leave_carrier(pump, discard)
        return bool(held)

    def _keep(self, data: bytes) -> None:
        self._desk.log.write(data)
        self._hear(data)

    def _warn(self, error: OSError) -> None:
        self._desk.say(
            f"the training's output cannot be written: {error.strerror}. The training "
            f"continues, and its last output is in {self._desk.folder.output}"
        )


def _leave_carrier(pump: Pump, discard: bool) -> None:
    target = os.open(os.devnull, os.O_WRONLY) if discard else pump.target
    # Without one, who writes later meets a broken pipe: no reason to fail for us.
    with contextlib.suppress(OSError):
        leave_carrier(pump.source, target)
    os.close(pump.source)
    if discard:
        os.close(target)
