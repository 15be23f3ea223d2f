"""What goes over for one training: a parcel, and the surroundings of the kernel.

parcel.pickle            what the child gets
surroundings.pickle      search path, settings, random state, source of the code
end/                     the same, on the way back; its parcel.pickle comes last
"""

import io
import pickle
import shutil
import sys
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from fitguard.contract.libraries import is_a
from fitguard.keras.state.randomness import read_random
from fitguard.notebook.feed.fed import Fed
from fitguard.notebook.feed.receiving import iterators_made
from fitguard.notebook.feed.serving import Feed
from fitguard.notebook.parcel.files import MEMORY, HeldFolder, ParcelFiles, remove_left_behind
from fitguard.notebook.parcel.packing import Number, Packer
from fitguard.notebook.parcel.unpacking import Unpacker
from fitguard.notebook.settings import read_settings
from fitguard.state.carried_sources import put_sources
from fitguard.state.culprit import culprit
from fitguard.state.not_carried import CannotCarry

_END = "end"


class Request:
    """The kernel's side.

    Args:
        place: Where its folder is made; it goes with `remove`.
        main: The module of the notebook.
        before: Datasets of an earlier request that this one goes on with.
        memory: A file system in memory, for large arrays.
    """

    def __init__(
        self, place: Path, main: ModuleType, before: Iterable[Fed] = (), memory: Path = MEMORY
    ) -> None:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        for left in (place, memory):
            remove_left_behind(left)
        self._held = HeldFolder(place)
        self.folder = self._held.path
        self.feed = Feed(self.folder, before)
        self._main = main
        self._files = ParcelFiles(self.folder, memory)

    def send(self, content: Mapping[str, Any], optional: Collection[str] = ()) -> None:
        """Pack and write what the child gets, by name.

        Args:
            optional: Names that may stay behind where they cannot go over.

        Raises:
            CannotCarry: where some of it cannot go over; it names each.
        """
        # Models first: layers and optimizers of them are parts then.
        named = dict(sorted(content.items(), key=lambda item: not is_a(item[1], "Model")))
        try:
            self._pack(named)
        except Exception as error:  # whatever the code of an object raises
            failed = self._find_failures(named)
            problems = [str(failed[name]) for name in failed if name not in optional]
            if problems or not failed:
                raise CannotCarry("\n".join(problems) or str(error)) from error
            self._pack({name: value for name, value in named.items() if name not in failed})
        _write_surroundings(
            self._files,
            self._packer,
            path=list(sys.path),
            settings=read_settings(),
            feed=self.feed.address,
        )

    def _pack(self, content: dict[str, Any]) -> None:
        self._files.content.unlink(missing_ok=True)
        with self._files.create(self._files.content) as stream:
            # Kept for the way back: it holds all that it has numbered.
            self._packer = Packer(stream, self._files, self._main, feed=self.feed.add)
            self._packer.dump(content)

    def _find_failures(self, content: dict[str, Any]) -> dict[str, CannotCarry]:
        failure = self._packer.failure
        return {
            name: culprit(value, name, failure)
            for name, value in content.items()
            if failure(value) is not None
        }

    @property
    def has_answer(self) -> bool:
        """Whether something came back."""
        return ParcelFiles(self.folder / _END, memory=None).content.exists()

    def answer(self, more: Mapping[Number, Any] | None = None) -> "Visit":
        """What came back; objects of the kernel's are changed as it is unpacked.

        Args:
            more: Objects that the child has numbered without having got them from here.
        """
        originals = {**self._packer.objects, **(more or {})}
        visit = Visit(self.folder / _END, self._main, originals)
        self.feed.catch_up(visit.surroundings["iterators"])
        return visit

    def remove(self) -> None:
        """All files."""
        self.feed.close()
        self._files.remove()
        self._held.remove()


class Visit:
    """A parcel that has arrived, with the surroundings that it came with."""

    def __init__(
        self, folder: Path, main: ModuleType, originals: Mapping[Number, Any] | None = None
    ) -> None:
        self._folder = folder
        self._main = main
        self._files = ParcelFiles(folder, memory=None)
        with self._files.open(self._files.surroundings) as stream:
            self.surroundings: dict[str, Any] = pickle.load(stream)
        self._stream = self._files.open(self._files.content)
        feed = self.surroundings["feed"]
        self._unpacker = Unpacker(self._stream, main, originals, feed)

    @property
    def late_states(self) -> dict[int, dict[str, Any]]:
        """Values of variables that a model does not have yet, by its `id`."""
        return self._unpacker.late_states

    def content(self) -> dict[str, Any]:
        """What was packed, by name; originals are changed as it is unpacked."""
        put_sources(self.surroundings["sources"])
        with self._stream:
            content: dict[str, Any] = self._unpacker.content()
        return content

    def forget_answer(self) -> None:
        """Remove what an earlier attempt has sent back."""
        shutil.rmtree(self._folder / _END, ignore_errors=True)

    def answer(
        self,
        content: Mapping[str, Any],
        *,
        numbers: Mapping[int, Number] | None = None,
        new: Iterable[Any] = (),
    ) -> None:
        """Send back what can be carried, by name, and the names of the rest.

        Args:
            numbers: Of objects that the kernel will have, by their `id` here.
            new: Objects to be sent whole, though the kernel had them.
        """
        objects = self._unpacker.objects
        known = {id(value): number for number, value in objects.items()} | dict(numbers or {})
        for value in new:
            known.pop(id(value), None)
        try:
            self._pack(dict(content), known, [], careful=False)
        except Exception:  # whatever the code of an object raises
            trial = Packer(io.BytesIO(), None, self._main, known)
            left = [name for name, value in content.items() if trial.failure(value)]
            kept = {name: value for name, value in content.items() if name not in left}
            self._pack(kept, known, left, careful=True)

    def _pack(
        self, content: dict[str, Any], known: Mapping[int, Number], left: list[str], careful: bool
    ) -> None:
        self.forget_answer()
        # Not in memory: it must outlive this process.
        files = ParcelFiles(self._folder / _END, memory=None)
        part = files.content.with_suffix(".part")
        with files.create(part) as stream:
            packer = Packer(stream, files, self._main, known)
            packer.dump(content)
            packer.dump_changed(careful=careful)
        _write_surroundings(files, packer, left=left, iterators=iterators_made(), feed=None)
        part.replace(files.content)


def _write_surroundings(files: ParcelFiles, packer: Packer, **more: Any) -> None:
    surroundings = {"random": read_random(), "sources": packer.sources, **more}
    files.surroundings.unlink(missing_ok=True)
    with files.create(files.surroundings) as stream:
        pickle.dump(surroundings, stream)
