"""Objects become a stream of pickle."""

import io
import pickle
from collections.abc import Callable, Mapping
from types import CodeType, ModuleType, NoneType
from typing import Any, BinaryIO

import cloudpickle

from fitguard.notebook.parcel.files import ParcelFiles
from fitguard.notebook.parcel.kinds import KINDS
from fitguard.notebook.parcel.originals import is_original, state_of
from fitguard.state.carried_sources import note_source
from fitguard.state.not_carried import NotCarried

Number = int | str
"""Of an object, on both sides: where it stands in the stream."""
GLOBALS, AGAIN, WAITING, ORIGINAL, END = "globals", "again", "waiting", "original", "end"
_PLAIN = frozenset({NoneType, bool, int, float, complex, str, bytes, tuple})


class Packer(cloudpickle.Pickler):  # type: ignore[misc]
    """Packs one parcel: objects of the user's by cloudpickle, others as `KINDS` tells.

    Functions of the notebook are at home among the names of `main` on the other side, too.

    Args:
        stream: Where it goes.
        files: For large arrays; None only to see whether an object can go over.
        main: The module of the notebook.
        known: Numbers of objects that came from the other side, by `id`.
        feed: Takes a dataset that stays in this process; its number.

    Attributes:
        sources: The source of all code that goes over, by file.
        parts: Of models that go over, by `id`: the model, and which part.
    """

    def __init__(
        self,
        stream: BinaryIO,
        files: ParcelFiles | None,
        main: ModuleType,
        known: Mapping[int, Number] | None = None,
        feed: Callable[[Any], int] | None = None,
    ) -> None:
        super().__init__(stream, protocol=pickle.HIGHEST_PROTOCOL)
        self.files = files
        self.goes_back = known is not None
        self.feed = feed
        self.sources: dict[str, list[str]] = {}
        self.parts: dict[int, tuple[Any, str, int]] = {}
        self._main = main
        self._known = dict(known or {})
        self._names: dict[str, Any] = {}
        self.globals_ref[id(vars(main))] = self._names
        self._packed: dict[int, tuple[Number, Any, Any]] = {}
        self._begun: set[int] = set()
        self._sent: dict[Number, Any] = {}

    @property
    def objects(self) -> dict[Number, Any]:
        """All that has a number."""
        packed = {number: value for number, value, _ in self._packed.values()}
        return dict(self.memo.copy().values()) | packed

    def failure(self, value: Any) -> Exception | None:
        """Why an object cannot go over; None where it can."""
        try:
            Packer(io.BytesIO(), None, self._main, self._known or None, self.feed).dump(value)
        except Exception as error:  # whatever the code of the object raises
            return error
        return None

    def dump_changed(self, *, careful: bool) -> None:
        """Write what the originals hold that the stream has named so far, and None.

        Args:
            careful: Leave out what cannot go over.
        """
        done: set[Number] = set()
        while waiting := [number for number in self._sent if number not in done]:
            for number in waiting:
                done.add(number)
                state = state_of(self._sent[number], self, careful=careful)
                if state is not None and not (careful and self.failure(state)):
                    self.dump((number, state))
        self.dump(None)

    def persistent_id(self, value: Any) -> Any:
        """What stands in the stream for an object that pickle does not take itself."""
        if type(value) in _PLAIN:
            return None
        if value is self._names:
            return (GLOBALS,)
        if isinstance(value, CodeType):
            note_source(value, self.sources)
            return None
        if type(value) is _End:
            self._begun.discard(value.of)
            return (END,)
        if id(value) in self._packed:
            return (WAITING if self.has_begun(value) else AGAIN, self._packed[id(value)][0])
        if id(value) in self._known and is_original(value):
            number = self._known[id(value)]
            self._sent[number] = value
            return (ORIGINAL, number)
        return self._pack(value)

    def has_begun(self, value: Any) -> bool:
        """Whether it is just being written: what it holds may need it before it is there."""
        return id(value) in self._begun

    def _pack(self, value: Any) -> Any:
        for name, kind in KINDS.items():
            try:
                packed = kind.pack(value, self)
            except NotCarried as error:
                error.of = id(value)
                raise
            if packed is not None:
                number = -1 - len(self._packed)
                # Kept: another object must not get the same `id`.
                self._packed[id(value)] = number, value, packed
                self._begun.add(id(value))
                return (name, number, packed, _End(id(value)))
        return None


class _End:
    """Stands behind what was packed for an object, in the stream."""

    def __init__(self, of: int) -> None:
        self.of = of
