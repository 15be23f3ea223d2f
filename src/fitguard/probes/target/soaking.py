"""Known computations in random order, each result checked, until told.

    for each computation: compute it some times           its checksum is the reference
    while nobody says stop:
        draw a computation                                by seed and number, so it can be resumed
        compute it, and its checksum, on the device
        look at the checksum of one that was begun earlier
        wrong: compute it again, find the wrong bits, report
"""

import collections
import random
import sys
import time

from . import checksums, run_files, workloads
from .bench import WrongResult

FORMAT = 1
_REPEATS = 3
_MORE_REPEATS = 5
_WRITE_SECONDS = 5.0
_TELL_SECONDS = (10.0, 60.0, 600.0)
_BEGUN_ON_GPU = 4
_MOST_SHOWN = 16
_LAST_SAMPLES_SECONDS = 2.0
"""Before the process ends: what the parent samples around the wrong bit should be there."""
ONCE, ALWAYS, CHECKING, SESSIONS, REFERENCE = (
    "once", "always", "checking", "sessions", "reference",
)  # fmt: skip
"""How a result was wrong."""


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
        self._weights, self._kept = {}, {}
        self._checksum = bench.tf.function(
            lambda words, weights: checksums.compute_checksum(bench.tf, words, weights)
        )
        before = files.read_progress()
        self._progress = before or _begin_progress(seed)
        self._comparable = before is not None and before["identity"] == identity
        self._progress["identity"] = identity
        self._progress["sessions"] += 1
        self._rows = [self._find_row(one.name, one.device, one.size) for one in computed]
        for name, device, reason in left_out:
            self._find_row(name, device, "")["left_out"] = reason
        self._began = self._settled = time.time()
        self._seconds_before = self._progress["seconds"]
        self._written = self._told = 0.0

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
        while not self._must_stop():
            index = drawn[draw(self._seed, number, len(drawn))]
            words, checksum = self._compute(index, number)
            self._begun.append((number, index, words, checksum))
            number += 1
            if len(self._begun) >= self._depth:
                self._settle(*self._begun.popleft())
        while self._begun:
            self._settle(*self._begun.popleft())

    def _must_stop(self):
        return self._is_told() or self._files.is_to_leave()

    def _compute(self, index, number, spoil=True):
        workload, tf = self._workloads[index], self._bench.tf
        words = workload.compute(number or 0)
        with tf.device(workload.device):
            if self._flips is not None and spoil:
                words = self._flips.spoil(tf, workload, words, number)
            return words, self._checksum(words, self._weigh(workload, words))

    def _weigh(self, workload, words):
        key = (workload.device, int(words.shape[0]))
        if key not in self._weights:
            self._weights[key] = checksums.make_weights(self._bench.tf, key[1])
        return self._weights[key]

    def _refer(self, index):
        """What the result has to be: computed some times, and compared with float64."""
        row, workload = self._rows[index], self._workloads[index]
        row["left_out"] = ""
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
            self._kept[index] = next(words for one, words in found if one == usual)
            workload.validate(self._kept[index])
        except WrongResult as error:
            self._report(index, None, REFERENCE, [], str(error))
            return
        except Exception as error:
            row["left_out"] = workloads.explain_unable(error)
            if not row["left_out"]:
                raise
            return
        row["computations"] += len(found)
        row["elements"] += len(found) * workload.elements
        self._files.beat(self._progress["number"])
        for one, words in found:
            if one != usual:
                self._report(index, None, ONCE, words)
        before, row["checksum"] = row["checksum"], _show(usual)
        if self._comparable and before and before != row["checksum"]:
            self._report(index, None, SESSIONS, [])

    def _compute_once(self, index):
        words, checksum = self._compute(index, None)
        return checksums.read_checksum(checksum), words.numpy()

    def _settle(self, number, index, words, checksum):
        """Look at a checksum, which may have to be waited for."""
        row = self._rows[index]
        right = _show(checksums.read_checksum(checksum)) == row["checksum"]
        now = time.time()
        row["seconds"] += now - self._settled
        self._settled = now
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
        again = [_show(checksums.read_checksum(self._compute(index, number)[1])) for _ in range(2)]
        got = words.numpy()
        kind = ALWAYS if all(one != wanted for one in again) else ONCE
        if (got == self._kept[index]).all():
            kind = CHECKING
        self._workloads[index].renew()
        self._report(index, number, kind, got)

    def _report(self, index, number, kind, got, text=""):
        workload, row = self._workloads[index], self._rows[index]
        row["wrong"] += 1
        count, bits, shown = self._locate(index, got) if len(got) else (0, 0, [])
        finding = {
            "computation": workload.name, "device": workload.device, "size": workload.size,
            "number": number, "seed": self._seed, "time": time.time(), "kind": kind,
            "wrong_elements": count, "wrong_bits": bits, "elements": shown, "text": text,
            "attempt": self._files.attempt,
        }  # fmt: skip
        self._progress["findings"] = self._progress["findings"][:_MOST_SHOWN - 1] + [finding]
        self._write(at_once=True)
        line = describe_finding(finding)
        sys.stderr.write("fitguard probe %s: wrong result: %s\n" % (workload.name, line))
        sys.stderr.flush()
        if not self._keep_going:
            until = time.time() + _LAST_SAMPLES_SECONDS
            while time.time() < until and not self._is_told():
                time.sleep(0.1)
            raise FoundWrong(line)
        self._settled = time.time()

    def _locate(self, index, got):
        """How many elements and bits are wrong, and which come first."""
        np, workload = self._bench.np, self._workloads[index]
        left = got.view(np.uint8)
        right = self._kept[index].view(np.uint8)
        wrong = np.flatnonzero(left != right)
        bits = int(np.unpackbits(left[wrong] ^ right[wrong]).sum())
        shown = collections.OrderedDict()
        for byte in wrong[: 8 * _MOST_SHOWN]:
            output, dtype, place = workload.locate(int(byte))
            if (output, tuple(place)) in shown or len(shown) == _MOST_SHOWN:
                continue
            flipped = int(left[byte]) ^ int(right[byte])
            shown[output, tuple(place)] = {
                "output": output, "element": place, "type": dtype, "byte": int(byte),
                "bits": [bit for bit in range(8) if flipped >> bit & 1],
                "got": "0x%02x" % left[byte], "expected": "0x%02x" % right[byte],
            }  # fmt: skip
        return workload.count_touched(wrong), bits, list(shown.values())

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


def describe_finding(finding):
    """One sentence, without the final period."""
    which = "" if finding["number"] is None else "computation %d, " % finding["number"]
    where = "%s%s (%s, seed %d)" % (
        which, finding["computation"], finding["size"], finding["seed"],
    )  # fmt: skip
    if finding["kind"] == REFERENCE:
        return "%s: %s" % (where, finding["text"])
    if finding["kind"] == SESSIONS:
        return (
            "%s gives another result than in the session before, with the same versions on the "
            "same device" % where
        )
    if finding["kind"] == CHECKING:
        return "the checksum of %s was wrong, and the result was right" % where
    first = finding["elements"][0]
    again = "was right" if finding["kind"] == ONCE else "was wrong again"
    return (
        "%s has %d wrong bits in %d elements; the first is element %s of type %s, where a byte is "
        "%s. Expected %s. Computed again at once, it %s"
        % (
            where, finding["wrong_bits"], finding["wrong_elements"], first["element"],
            first["type"], first["got"], first["expected"], again,
        )
    )  # fmt: skip


def _begin_progress(seed):
    return {
        "format": FORMAT, "seed": seed, "number": 0, "identity": {}, "sessions": 0, "seconds": 0.0,
        "updated": 0.0, "computations": [], "findings": [],
    }  # fmt: skip


def _show(checksum):
    return "%016x-%016x" % checksum
