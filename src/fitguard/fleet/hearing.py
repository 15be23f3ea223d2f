"""What actors tell of runs in the storage, where they are asked now and then.

where it begins     once: how far its snapshots are, also those that a lost start has kept
its trouble         where copies go to a storage that is no folder; the user is told once
"""

import time
from collections.abc import Callable, Iterable
from typing import Any

from fitguard.fleet.storage.opening import Heard, is_remote
from fitguard.fleet.trainings import Training

_EVERY_SECONDS = 5.0


class Hearing:
    """Asks those that train.

    Args:
        storage: As nodes are told; in a folder that all see, there is no trouble to hear of.
        tell: Says one line to the user.
    """

    def __init__(self, storage: str, tell: Callable[[str], None]) -> None:
        self._has_copies = is_remote(storage)
        self._storage = storage
        self._tell = tell
        self._asked: dict[str, tuple[Any, Any]] = {}
        self._when = 0.0

    def look(self, running: Iterable[Training]) -> None:
        """Ask, if it is time, and hear what was answered."""
        training = {one.name: one for one in running}
        self._hear(training)
        if time.monotonic() - self._when > _EVERY_SECONDS:
            self._when = time.monotonic()
            for name in training.keys() - self._asked.keys():
                if self._has_copies or training[name].begins_from is None:
                    actor = training[name].workers[0].actor
                    self._asked[name] = (actor.listen.remote(), actor)

    def note(self, one: Training, heard: Heard, *, has_ended: bool = False) -> None:
        """Tell what is new of a training."""
        for text in heard.notes:
            self._tell(f"{one.name}: {text}.")
        if heard.trouble and has_ended:
            self._tell(f"{one.name} has ended, but {heard.trouble}.")
        elif heard.trouble and not one.trouble:
            self._tell(f"{one.name}: {heard.trouble}. It is tried again; this is said once.")
        elif one.trouble and not heard.trouble:
            self._tell(f"{one.name}: {self._storage} is there again.")
        one.trouble = heard.trouble

    def _hear(self, training: dict[str, Training]) -> None:
        import ray

        for name, (promise, actor) in list(self._asked.items()):
            if not ray.wait([promise], timeout=0)[0]:
                if name not in training:
                    del self._asked[name]
                continue
            del self._asked[name]
            one = training.get(name)
            try:
                heard = ray.get(promise)
            except ray.exceptions.RayError:
                continue  # the end of its actor is heard elsewhere
            if one is not None and one.workers[0].actor is actor:
                self.note(one, heard)
                if heard.begins_from is not None:
                    one.note_beginning(heard.begins_from)
