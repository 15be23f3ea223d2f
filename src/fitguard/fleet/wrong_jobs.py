"""What is wrong with jobs: all of it is found before any of it is told."""

import contextlib
from collections.abc import Iterator, Sequence

from fitguard.fleet.yaml_lines import Place
from fitguard.schema.exit_codes import UsageError

Problem = tuple[Place, str]
"""Where it stands in the file, such as `("jobs", 2, "memory")`, and what it is."""
_MOST = 20


class WrongJob(UsageError):
    """Jobs that cannot be, for at least one reason."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(list_lines([text for _, text in problems]))
        self.problems = problems


class Problems:
    """Those that were found so far."""

    def __init__(self) -> None:
        self._found: list[Problem] = []

    def add(self, place: Place, text: str) -> None:
        """Note one."""
        self._found.append((place, text))

    @contextlib.contextmanager
    def noting(self, place: Place = (), who: str = "") -> Iterator[None]:
        """Note what is raised inside.

        Args:
            place: And `who`: of an error that does not say so itself.
        """
        try:
            yield
        except WrongJob as error:
            self._found += error.problems
        except UsageError as error:
            self.add(place, f"{who}{error}")

    def raise_all(self) -> None:
        """Tell them.

        Raises:
            WrongJob: where there are any.
        """
        if self._found:
            raise WrongJob(*self._found)


def list_lines(texts: Sequence[str]) -> str:
    """One below the other, the first twenty of them."""
    more = len(texts) - _MOST
    return "\n".join([*texts[:_MOST], *([f"and {more} more"] if more > 0 else [])])
