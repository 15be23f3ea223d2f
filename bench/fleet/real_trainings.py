"""Real trainings of mixed sizes and lengths, and what their files tell afterwards."""

import random
from pathlib import Path
from typing import NamedTuple

EPOCH_SECONDS = 0.5
"""That each epoch waits, as a training waits for its GPU."""
_SIZES = (80, 120, 160, 200, 280, 380, 560, 800)
_OFTEN = (4, 4, 3, 3, 2, 2, 1, 1)
_SHORTEST, _MIDDLE, _LONGEST = 20, 70, 240


class RealTraining(NamedTuple):
    """One training.

    Args:
        mib: Of memory that it needs.
    """

    number: int
    mib: int
    epochs: int

    @property
    def name(self) -> str:
        return f"t{self.number}"

    def list_words(self, folder: Path) -> list[str]:
        """What stands behind the script."""
        out = folder / f"{self.number}.txt"
        return [str(out), str(self.mib), str(self.epochs), str(EPOCH_SECONDS)]

    def list_epochs(self, folder: Path) -> list[int]:
        """Those that it has trained, in order."""
        file = folder / f"{self.number}.txt"
        return [int(line) for line in file.read_text().split()] if file.exists() else []

    def count_starts(self, folder: Path) -> int:
        """How often it was begun."""
        file = folder / f"{self.number}.starts"
        return len(file.read_text().splitlines()) if file.exists() else 0

    def is_finished(self, folder: Path) -> bool:
        """Whether the last epoch was trained."""
        return self.epochs - 1 in self.list_epochs(folder)

    def count_lost(self, folder: Path) -> int:
        """Epochs that were trained more than once; all, where it never finished."""
        trained = self.list_epochs(folder)
        return len(trained) - (len(set(trained)) if self.is_finished(folder) else 0)


def draw_real(count: int, seed: int = 3) -> list[RealTraining]:
    """Many small ones, few large ones; most are short, some take ten times as long."""
    drawn = random.Random(seed)
    trainings = []
    for number in range(count):
        epochs = round(_MIDDLE * drawn.lognormvariate(0, 0.6))
        mib = drawn.choices(_SIZES, _OFTEN)[0]
        trainings.append(RealTraining(number, mib, min(max(epochs, _SHORTEST), _LONGEST)))
    return trainings
