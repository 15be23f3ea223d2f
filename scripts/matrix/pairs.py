"""The pairs of versions that are proven: pairs.toml, and where the environment of each lies."""

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Pair:
    """Versions that are installed together."""

    python: str
    tensorflow: str
    keras: str
    tf_keras: str = ""

    @property
    def name(self) -> str:
        """The folder of its environment: `py3.11-tf2.15.1-keras2.15.0`."""
        name = f"py{self.python}-tf{self.tensorflow}-keras{self.keras}"
        return f"{name}-tf_keras{self.tf_keras}" if self.tf_keras else name

    @property
    def packages(self) -> list[str]:
        """What scripts may import as Keras there."""
        return ["keras", "tf_keras"] if self.tf_keras else ["keras"]

    @property
    def is_nightly(self) -> bool:
        """Whether its Keras is none that was released."""
        return ".dev" in self.keras

    @property
    def requirements(self) -> list[str]:
        """What pip resolves at once, beside fitguard: what Keras and the tests need too."""
        keras = "keras-nightly" if self.is_nightly else "keras"
        pinned = [f"tensorflow-cpu=={self.tensorflow}", f"{keras}=={self.keras}"]
        return [*pinned, "tensorboard", "hypothesis>=6.100", "pytest>=8.2"]

    @property
    def folder(self) -> Path:
        """Its environment, out of the tree and kept between runs."""
        return matrix_folder() / self.name

    @property
    def interpreter(self) -> Path:
        """The Python of its environment."""
        return self.folder / "bin/python"


def read_pairs(only: str = "") -> list[Pair]:
    """Those whose name contains one of the words of `only`; all where it is empty."""
    document = tomllib.loads((Path(__file__).parent / "pairs.toml").read_text("utf-8"))
    pairs = [Pair(**row) for row in document["pairs"]]
    words = only.split()
    chosen = [pair for pair in pairs if not words or any(word in pair.name for word in words)]
    if not chosen:
        names = ", ".join(pair.name for pair in pairs)
        raise SystemExit(f"Received ONLY={only!r}. Expected a part of one of these names: {names}")
    return chosen


def matrix_folder() -> Path:
    """$FITGUARD_MATRIX, or a folder in the user's cache."""
    given = os.environ.get("FITGUARD_MATRIX")
    if given:
        return Path(given)
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "fitguard/matrix"
