"""Known computations in random order, each result checked, until told.

for each computation: compute it some times           its checksum is the reference
while nobody says stop:
    draw a computation                                by seed and number, so it can be resumed
    compute it, and its checksum, on the device       the host does not wait for it
    some are begun: look at the checksums of all      the device is done with all of them then
    wrong: compute it again, find the wrong bits, report
"""

import collections
import random
import sys
import time

from . import checksums, run_files, wrong_bits
from .bench import WrongResult
from .workload import explain_unable

FORMAT = 1
_REPEATS = 3
_MORE_REPEATS = 5
_WRITE_SECONDS = 2.0
_TELL_SECONDS = (10.0, 60.0, 600.0)
_BEGUN_ON_GPU = 8
_LEAST_SECONDS = 1e-6
"""That a computation takes, where the clock does not see it."""
_PARTS = (
    ("tensorflow", "TensorFlow"), ("numpy", "NumPy"), ("python", "Python"),
    ("devices", "the devices"), ("processors", "the processors"),
)  # fmt: skip
"""Of the identity of a session, and how each is called."""
_LAST_SAMPLES_SECONDS = 2.0
"""Before the process ends: what the parent samples around the wrong bit should be there."""


class FoundWrong(Exception):
    """A bit is wrong, and the soak is to end there."""


class Soak(object):
    """All computations of one session.

    Args:
        computed: Workloads as `build_workloads` gives them, for all devices.
        left_out: Name and reason of those that cannot be computed.
        identity: What must be the same for results to be the same: versions, device.
        files: Of the run.
        seed: Of inputs and order.
        keep_going: Do not stop at the first wrong bit.
        flips: Faults for tests.
        is_told: Whether a signal said stop.
    """

    def __init__(
        self, bench, computed, left_out, identity, files, seed, keep_going, flips, is_told
    ):
        self._bench, self._workloads, self._files = bench, computed, files
        self._seed, self._keep_going, self._flips = seed, keep_going, flips
        self._is_told = is_told
        self._begun = collections.deque()
        self._depth = _BEGUN_ON_GPU * len(bench.devices) if bench.on_gpu else 1
        self._weights, self._kept, self._shared = {}, {}, {}
        self._usual_seconds = {}
        self._checksum = bench.tf.function(
            lambda words, weights: checksums.compute_checksum(bench.tf, words, weights)
        )
        before = files.read_progress()
        self._progress = before or _begin_progress(seed)
        self._progress.setdefault("changes", [])
        self._comparable = before is not None and before["identity"] == identity
        self._reference_time = self._progress["updated"]
        self._progress["sessions"] += 1
        if before is not None and not self._comparable:
            self._note_change(before["identity"], identity)
        self._progress["identity"] = identity
        self._rows = [self._find_row(one.name, one.device, one.size) for one in computed]
        for name, device, reason in left_out:
            self._find_row(name, device, "")["left_out"] = reason
        self._began = self._settled = time.time()
        self._seconds_before = self._progress["seconds"]
        self._written = self._told = 0.0

    def _note_change(self, before, after):
        text = describe_change(before, after)
        self._progress["changes"].append(
            {
                "session": self._progress["sessions"], "time": time.time(), "text": text,
                "computations": sum(row["computations"] for row in self._progress["computations"]),
            }
        )  # fmt: skip
        line = "%s. New references are made, and the counts go on: they are of both." % text
        self._files.tell("noted", kind="version", text=line)
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    @property
    def number(self):
        """How many of the order are done."""
        return self._progress["number"]

    def run(self):
        """Until told.

        Raises:
            FoundWrong: at the first wrong bit, unless it is to keep going.
        """
        self._files.beat(self._progress["number"])
        count = sum(not row["left_out"] for row in self._rows)
        self._files.tell(
            "fit-began", place=run_files.place(self._progress["number"]),
            library="fitguard probe", model="soak of %d computations" % count,
        )  # fmt: skip
        try:
            for index in range(len(self._workloads)):
                if self._must_stop():
                    return
                self._refer(index)
            self._soak()
        finally:
            self._write(at_once=True)
            self._say(at_once=True)

    def _soak(self):
        able = [index for index, row in enumerate(self._rows) if not row["left_out"]]
        if not able:
            raise RuntimeError("no computation gives the same result twice here")
        drawn = [index for index in able for _ in range(self._workloads[index].weight)]
        number = self._progress["number"]
        self._settled = time.time()
        self._write(at_once=True)
        while not self._must_stop():
            index = drawn[draw(self._seed, number, len(drawn))]
            self._note_begun(number, index)
            words, checksum = self._compute(index, number)
            self._begun.append((number, index, words, checksum))
            number += 1
            if len(self._begun) >= self._depth:
                self._settle_begun()
        self._settle_begun()

    def _note_begun(self, number, index):
        begun = [(one[0], one[1]) for one in self._begun] + [(number, index)]
        names = ["%d %s" % (one, self._workloads[place].name) for one, place in begun]
        self._files.note_begun(", ".join(names))

    def _must_stop(self):
        return self._is_told() or self._files.is_to_leave()

    def _compute(self, index, number, spoil=True):
        workload, tf = self._workloads[index], self._bench.tf
        words = workload.compute(number or 0)
        with tf.device(workload.device):
            if self._flips is not None and spoil:
                words = self._flips.spoil(tf, workload, words, number)
            return words, self._checksum(words, self._weigh(workload, words))

    def _read(self, checksum):
        """As text; waits until the device has computed it."""
        return "%016x-%016x" % checksums.finish_checksum(self._bench.np, checksum.numpy())

    def _weigh(self, workload, words):
        key = (workload.device, int(words.shape[0]))
        if key not in self._weights:
            self._weights[key] = checksums.make_weights(self._bench.tf, key[1])
        return self._weights[key]

    def _refer(self, index):
        """What the result has to be: computed some times, and compared with float64."""
        row, workload = self._rows[index], self._workloads[index]
        row["left_out"] = ""
        self._files.note_begun("the references of " + workload.name)
        try:
            found = [self._compute_once(index) for _ in range(_REPEATS)]
            if len(set(one for one, _ in found)) > 1:
                found += [self._compute_once(index) for _ in range(_MORE_REPEATS)]
            sums = collections.Counter(one for one, _ in found)
            usual, times = sums.most_common(1)[0]
            if times < len(found) - 1:
                row["left_out"] = (
                    "Its kernel is not deterministic: %d repetitions gave %d results"
                    % (len(found), len(sums))
                )
                return
            own = next(words for one, words in found if one == usual)
            # Sound GPUs of one kind agree: then one copy is enough for all.
            self._kept[index] = self._shared.setdefault((workload.name, usual), own)
            workload.validate(self._kept[index])
        except WrongResult as error:
            row["left_out"] = "Its first results were wrong"
            self._report(index, None, wrong_bits.REFERENCE, [], str(error))
            return
        except Exception as error:
            row["left_out"] = explain_unable(error)
            if not row["left_out"]:
                raise
            return
        row["computations"] += len(found)
        row["elements"] += len(found) * workload.elements
        self._files.beat(self._progress["number"])
        for one, words in found:
            if one != usual:
                self._report(index, None, wrong_bits.ONCE, words)
        before, row["checksum"] = row["checksum"], usual
        if self._comparable and before and before != row["checksum"]:
            when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self._reference_time))
            self._report(index, None, wrong_bits.SESSIONS, [], when)

    def _compute_once(self, index):
        began = time.time()
        words, checksum = self._compute(index, None)
        found = self._read(checksum)
        seconds = max(time.time() - began, _LEAST_SECONDS)
        self._usual_seconds[index] = min(self._usual_seconds.get(index, seconds), seconds)
        return found, words.numpy()

    def _settle_begun(self):
        """Look at all that is begun: reading one result waits for all that the device was given."""
        found = [self._read(checksum) for _, _, _, checksum in self._begun]
        now = time.time()
        passed, self._settled = now - self._settled, now
        whole = sum(self._usual_seconds[index] for _, index, _, _ in self._begun)
        for checksum in found:
            number, index, words, _ = self._begun.popleft()
            self._rows[index]["seconds"] += passed * self._usual_seconds[index] / whole
            self._settle(number, index, words, checksum)

    def _settle(self, number, index, words, checksum):
        row = self._rows[index]
        right = checksum == row["checksum"]
        row["computations"] += 1
        row["elements"] += self._workloads[index].elements
        self._progress["number"] = number + 1
        self._files.beat(number + 1)
        if not right:
            self._examine(number, index, words)
        self._write()
        self._say()

    def _examine(self, number, index, words):
        """A checksum is wrong: is it the result, and is it so again?"""
        wanted = self._rows[index]["checksum"]
        again = [self._read(self._compute(index, number)[1]) for _ in range(2)]
        got = words.numpy()
        kind = wrong_bits.ALWAYS if all(one != wanted for one in again) else wrong_bits.ONCE
        if (got == self._kept[index]).all():
            kind = wrong_bits.CHECKING
        self._workloads[index].renew()
        self._report(index, number, kind, got)

    def _report(self, index, number, kind, got, text=""):
        workload, row = self._workloads[index], self._rows[index]
        row["wrong"] += 1
        count, bits, shown = 0, 0, []
        if len(got):
            count, bits, shown = wrong_bits.locate_wrong_bits(workload, got, self._kept[index])
        finding = {
            "computation": workload.name, "device": workload.device, "size": workload.size,
            "number": number, "seed": self._seed, "time": time.time(), "kind": kind,
            "wrong_elements": count, "wrong_bits": bits, "elements": shown, "text": text,
            "parts": len(workload.outputs), "attempt": self._files.attempt,
        }  # fmt: skip
        line = finding["text"] = wrong_bits.describe_finding(finding)
        self._progress["findings"] = self._progress["findings"][: wrong_bits.MOST_SHOWN - 1] + [
            finding
        ]
        self._write(at_once=True)
        sys.stderr.write("fitguard probe %s: wrong result: %s\n" % (workload.name, line))
        sys.stderr.flush()
        if not self._keep_going:
            until = time.time() + _LAST_SAMPLES_SECONDS
            while time.time() < until and not self._is_told():
                time.sleep(0.1)
            raise FoundWrong(line)
        self._settled = time.time()

    def _find_row(self, name, device, size):
        for row in self._progress["computations"]:
            if (row["name"], row["device"]) == (name, device):
                if row["size"] != size:
                    row["checksum"] = ""
                row["size"] = size
                return row
        row = {
            "name": name, "device": device, "size": size, "computations": 0, "elements": 0,
            "wrong": 0, "seconds": 0.0, "checksum": "", "left_out": "",
        }  # fmt: skip
        self._progress["computations"].append(row)
        return row

    def _write(self, at_once=False):
        now = time.time()
        self._progress["seconds"] = self._seconds_before + now - self._began
        self._progress["updated"] = now
        if at_once or now - self._written >= _WRITE_SECONDS:
            self._written = now
            self._files.write_progress(self._progress)

    def _say(self, at_once=False):
        """Seldom, and ever more seldom."""
        passed = time.time() - self._began
        pause = next((one for one in _TELL_SECONDS if passed < 10 * one), _TELL_SECONDS[-1])
        if not at_once and passed - self._told < pause:
            return
        self._told = passed
        rows = self._progress["computations"]
        sys.stdout.write(
            "%d computations, %.3g elements checked, %d wrong\n"
            % (
                sum(row["computations"] for row in rows), sum(row["elements"] for row in rows),
                sum(row["wrong"] for row in rows),
            )
        )  # fmt: skip
        sys.stdout.flush()


def draw(seed, number, count):
    """Which computation comes at this place of the order: from 0 up to `count`."""
    return random.Random(seed * 1000003 + number).randrange(count)


def describe_change(before, after):
    """What is another one than in the session before: `TensorFlow was 2.20.0 and is 2.21.0`."""
    return "; ".join(
        "%s %s %s and %s %s"
        % (
            name, "were" if name.endswith("s") else "was", _show(before.get(key)),
            "are" if name.endswith("s") else "is", _show(after.get(key)),
        )
        for key, name in _PARTS
        if before.get(key) != after.get(key)
    )  # fmt: skip


def _show(value):
    return ", ".join(value) if isinstance(value, list) else value


def _begin_progress(seed):
    return {
        "format": FORMAT, "seed": seed, "number": 0, "identity": {}, "sessions": 0, "seconds": 0.0,
        "updated": 0.0, "computations": [], "findings": [], "changes": [],
    }  # fmt: skip
