"""The trainings of the corpus: scripts, and what the header of each says of it.

The first line of a docstring says what is special. Behind it may stand:

    Announced: generator, on_epoch_end      words that the note at the start must contain
    Needs: 3.4                              the oldest Keras that has what it uses
    Uses: tensorboard                       a package that may be missing
    Unseeded                                to be compared with a guarded run that nobody killed
"""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

TRAININGS = Path(__file__).parent / "trainings"
LIBRARY = Path(__file__).parent / "library"


@dataclass(frozen=True)
class Case:
    """One training.

    Args:
        special: What it shows, in a line.
        announced: Words of the announcement; empty where it must be the same after a restart.
        needs: Version of Keras.
        uses: A package beside it.
        unseeded: It draws from sources that only a guarded run seeds.
    """

    script: Path
    special: str
    announced: tuple[str, ...] = ()
    needs: tuple[int, ...] = ()
    uses: str = ""
    unseeded: bool = False

    @property
    def name(self) -> str:
        return self.script.stem


def read_cases(only: str = "") -> list[Case]:
    """Those whose name contains one of the words of `only`; all where it is empty."""
    cases = [read_case(script) for script in sorted(TRAININGS.glob("*.py"))]
    words = only.split()
    return [case for case in cases if not words or any(word in case.name for word in words)]


def read_case(script: Path) -> Case:
    """From its docstring."""
    header = ast.get_docstring(ast.parse(script.read_text("utf-8"))) or ""
    said = dict(re.findall(r"^(Announced|Needs|Uses): (.+)$", header, re.MULTILINE))
    return Case(
        script,
        header.partition("\n")[0],
        tuple(said["Announced"].split(", ")) if "Announced" in said else (),
        tuple(map(int, said.get("Needs", "2").split("."))),
        said.get("Uses", ""),
        "\nUnseeded" in header,
    )
