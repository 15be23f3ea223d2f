"""The files by which a soak and the parent that guards it see each other.

The parent's side is `fitguard.monitor`, which need not be installed here: heartbeat, journal,
orders, and the place for stacks have the layout that it describes.
"""

import json
import os
import struct
import tempfile
import time

_NUMBERS = struct.Struct("=Qqqqqqqq")
_WISH_AT = 256
_BEGUN_AT, _BEGUN_BYTES = 512, 512
_LEAVE = 2
_TRAINING = 1
LEFT_AS_ASKED = 75


class RunFiles(object):
    """Those of one attempt.

    Args:
        folder: Of the run.
    """

    def __init__(self, folder):
        self._folder = folder
        self._count = 0
        self._beats = os.open(self._path("heartbeat"), os.O_RDWR)
        with open(self._path("orders.json")) as file:
            self.attempt = json.load(file)["attempt"]

    def _path(self, name):
        return os.path.join(self._folder, name)

    def beat(self, number):
        """So many computations are done."""
        self._count += 1
        beat = _NUMBERS.pack(self._count, 1, _TRAINING, 1, 0, number, number, 0)
        os.lseek(self._beats, 0, os.SEEK_SET)
        os.write(self._beats, beat)

    def note_begun(self, text):
        """What is being computed: all that is known of it when the process dies."""
        os.lseek(self._beats, _BEGUN_AT, os.SEEK_SET)
        os.write(self._beats, text.encode("utf-8")[:_BEGUN_BYTES].ljust(_BEGUN_BYTES, b"\0"))

    def is_to_leave(self):
        """Whether the parent wants the soak to end."""
        os.lseek(self._beats, _WISH_AT, os.SEEK_SET)
        return os.read(self._beats, 1) == struct.pack("B", _LEAVE)

    def tell(self, event, **values):
        """Add an event to the journal of the run."""
        values.update(event=event, time=time.time(), attempt=self.attempt)
        # What another one was writing when the power failed is a line of its own then.
        line = "\n%s\n" % json.dumps(values)
        file = os.open(self._path("journal.jsonl"), os.O_WRONLY | os.O_APPEND)
        try:
            os.write(file, line.encode("utf-8"))
        finally:
            os.close(file)

    def read_progress(self):
        """What an earlier attempt left; None where there is nothing."""
        try:
            with open(self._path("soak.json")) as file:
                return json.load(file)
        except IOError:
            return None

    def write_progress(self, progress):
        """Whole at any time, also when the power fails."""
        number, beside = tempfile.mkstemp(prefix=".soak.json.", dir=self._folder)
        with os.fdopen(number, "w") as file:
            json.dump(progress, file)
            file.flush()
            os.fsync(file.fileno())
        rename = getattr(os, "replace", os.rename)
        rename(beside, self._path("soak.json"))

    def listen_for_stacks(self):
        """When it hangs, the parent asks what all threads do."""
        try:
            import faulthandler  # novermin
            import signal

            file = open(self._path("stacks.txt"), "a")  # noqa: SIM115
            faulthandler.register(signal.SIGRTMIN + 5, file=file, all_threads=True)
        except (ImportError, AttributeError):  # Python 2.7
            pass


def place(number):
    """Where in the run a computation is, as the journal writes it."""
    return {"fit": 1, "epoch": 0, "step": number, "total_steps": number}
