"""The pieces of a soak, in this process: checksums, computations, the order, what is kept."""

import itertools
import json
import os

import numpy as np
import pytest
import tensorflow as tf

from fitguard.monitor.heartbeat import Heartbeat
from fitguard.monitor.journal import Journal
from fitguard.monitor.run_folder import RunFolder
from fitguard.probes.target import checksums, flips, run_files, soaking, workloads, wrong_bits
from fitguard.probes.target.bench import Bench, WrongResult
from fitguard.probes.target.workload import CannotRun, Workload, explain_unable
from fitguard.schema.journal import FitBegan, Noted
from fitguard.supervise.soak_progress import read_progress

SEED = 5
IDENTITY = {"tensorflow": tf.__version__}
KEPT = 2**12
"""Bytes of memory that the computation `memory` holds."""


def draw_words(count):
    return np.random.RandomState(3).randint(-(2**62), 2**62, count, dtype="int64")


def compute_on_device(words):
    weights = checksums.make_weights(tf, len(words))
    parts = checksums.compute_checksum(tf, tf.constant(words), weights)
    return checksums.finish_checksum(np, parts.numpy())


@pytest.mark.parametrize("count", [1, 2, 3, 64, 4096, 4097, 9001, 2**15])
def test_the_checksum_of_the_device_is_that_of_the_host(count):
    words = draw_words(count)
    assert compute_on_device(words) == checksums.compute_on_host(np, words)


def test_each_single_bit_changes_both_parts_of_the_checksum(monkeypatch):
    monkeypatch.setattr(checksums, "_FINISHED_ON_HOST", 1)
    words = draw_words(3)
    right = compute_on_device(words)
    for place in range(len(words)):
        for bit in range(64):
            wrong = words.view("uint64").copy()
            wrong[place] ^= np.uint64(1 << bit)
            xor, total = compute_on_device(wrong.view("int64"))
            assert xor != right[0]
            assert total != right[1]


def test_each_single_bit_of_a_larger_array_changes_the_checksum():
    words = draw_words(1500).view("uint64")
    weights = (np.arange(words.size, dtype="uint64") * 2 + 1) * np.uint64(checksums._ODD)
    xor, total = checksums.compute_on_host(np, words)
    for bit in range(64):
        flipped = words ^ np.uint64(1 << bit)
        # One word of all is exchanged, for each of them.
        totals = np.uint64(total) + (flipped - words) * weights
        assert (totals != np.uint64(total)).all()
        assert ((np.uint64(xor) ^ words ^ flipped) != np.uint64(xor)).all()
    some = words.copy()
    some[700] ^= np.uint64(1 << 63)
    delta = (int(some[700]) - int(words[700])) * int(weights[700])
    assert checksums.compute_on_host(np, some)[1] == (total + delta) % 2**64


def test_words_that_changed_places_are_noticed():
    words = draw_words(100)
    swapped = words.copy()
    swapped[[3, 90]] = swapped[[90, 3]]
    assert compute_on_device(words) != compute_on_device(swapped)


class Workplace:
    """A bench on the CPU, and a run folder as the parent makes it."""

    def __init__(self, path):
        self.folder = RunFolder(path)
        options = {"probe": "soak", "answers": os.devnull, "device": "CPU"}
        self.bench = Bench(options)
        self.bench.tf, self.bench.np, self.bench.devices = tf, np, ["/CPU:0"]
        self.heartbeat = Heartbeat(self.folder.heartbeat, create=True)
        self.folder.orders.write_text(json.dumps({"attempt": 1}))
        self.folder.journal.touch()

    def build(self, *only):
        return workloads.build_workloads(self.bench, "/CPU:0", SEED, KEPT, only)[0]

    def soak(self, computed, steps, *, identity=IDENTITY, fault=None, keep_going=False, depth=1):
        """Compute so many, as a process of its own would.

        Args:
            depth: How many are begun before one looks; a GPU gets several.
        """
        asked = [0]

        def is_told():
            # Asked before each reference, then before each computation.
            asked[0] += 1
            return asked[0] > len(computed) + steps

        files = run_files.RunFiles(str(self.folder.path))
        told = flips.read_flips(fault)
        soak = soaking.Soak(
            self.bench, computed, [], identity, files, SEED, keep_going, told, is_told
        )
        soak._depth = depth
        soak.run()
        return read_progress(self.folder)


@pytest.fixture
def place(tmp_path, monkeypatch):
    # No parent samples anything here.
    monkeypatch.setattr(soaking, "_LAST_SAMPLES_SECONDS", 0.0)
    return Workplace(tmp_path)


def compute_words(one):
    return one.compute(0).numpy()


def test_all_computations_are_right_and_the_same_each_time(place):
    found, left_out = workloads.build_workloads(place.bench, "/CPU:0", SEED, KEPT)
    names = [one.name for one in found]
    assert sorted([*names, *left_out]) == sorted(workloads.NAMES)
    assert list(left_out) == ["matmul-tf32"]
    for one in found:
        words = compute_words(one)
        one.validate(words)
        assert (one.compute(1).numpy() == words).all()
        spoiled = words.view("uint8").copy()
        spoiled[-1] ^= 0x40
        with pytest.raises(WrongResult):
            one.validate(spoiled.view("int64"))


def test_a_wrong_bit_is_found_where_it_is(place):
    (one,) = place.build("convolution")
    words = compute_words(one)
    forward = one.decode(words)[0].size
    wrong = words.view("uint8").copy()
    byte = 4 * (2 * forward + 9)  # behind the result and the gradient of the image
    wrong[byte + 2] ^= 0x10
    wrong[-1] ^= 0x81
    elements, bits, shown = wrong_bits.locate_wrong_bits(one, wrong.view("int64"), words)
    assert (elements, bits) == (2, 3)
    assert [shown[0][key] for key in ("output", "element", "type", "bit")] == [
        2, [0, 0, 1, 1], "float32", 20,
    ]  # fmt: skip
    assert shown[1]["element"] == [2, 2, 7, 7]
    assert shown[0]["got"] == 1 - shown[0]["expected"]


def test_held_memory_that_loses_a_bit_is_noticed_until_it_is_written_anew(place):
    (one,) = place.build("memory")
    words = compute_words(one)
    one._parts[0].assign(flips.Flips("changed", 0.0)._flip(tf, one._parts[0].read_value(), 9, 3))
    for number in (0, 1, 1):
        wrong = one.compute(number).numpy().view("uint8")
        assert np.flatnonzero(wrong != words.view("uint8")).tolist() == [9]
    one.renew()
    assert (one.compute(2).numpy() == words).all()


def test_it_goes_on_where_it_was(place):
    computed = place.build("matmul-float32", "integers", "memory")
    first = place.soak(computed, 5)
    second = place.soak(computed, 4)
    assert (first.number, second.number, second.sessions) == (5, 9, 2)
    assert [one.checksum for one in first.computations] == [
        one.checksum for one in second.computations
    ]
    repeats = soaking._REPEATS * 2 * len(computed)
    assert sum(one.computations for one in second.computations) == 9 + repeats
    assert not second.findings
    beat = place.heartbeat.read()
    assert (beat.place.total_steps, beat.phase, beat.answering) == (9, "training", 1)
    events = Journal(place.folder.journal).read()
    assert [event.place.total_steps for event in events if isinstance(event, FitBegan)] == [0, 5]


def test_the_order_is_that_of_the_seed():
    order = [soaking.draw(SEED, number, 7) for number in range(1000)]
    assert order == [soaking.draw(SEED, number, 7) for number in range(1000)]
    assert order != [soaking.draw(SEED + 1, number, 7) for number in range(1000)]
    assert set(order) == set(range(7))


def test_another_result_than_in_the_session_before_is_a_finding(place):
    computed = place.build("elementwise")
    place.soak(computed, 1)
    with pytest.raises(soaking.FoundWrong, match=r"than in the session that ended on \d{4}-"):
        place.soak(computed, 1, fault="soak:changed")


def test_with_other_versions_there_is_nothing_to_compare_with_and_that_is_said(place, capfd):
    computed = place.build("elementwise")
    before = place.soak(computed, 1)
    assert not before.changes
    other = {"tensorflow": "0", "devices": ["GPU 0", "GPU 1"]}
    after = place.soak(computed, 1, identity=other, fault="soak:changed")
    assert not after.findings
    (change,) = after.changes
    assert change.text == (
        f"TensorFlow was {tf.__version__} and is 0; the devices were None and are GPU 0, GPU 1"
    )
    assert (change.session, change.computations) == (2, before.computations[0].computations)
    line = f"{change.text}. New references are made, and the counts go on: they are of both."
    assert line in capfd.readouterr().out.splitlines()
    noted = [event for event in Journal(place.folder.journal).read() if isinstance(event, Noted)]
    assert [(event.kind, event.text) for event in noted] == [("version", line)]


def test_progress_of_before_changes_were_counted_goes_on(place):
    computed = place.build("integers")
    place.soak(computed, 1)
    old = json.loads(place.folder.soak.read_text())
    del old["changes"]
    place.folder.soak.write_text(json.dumps(old))
    assert place.soak(computed, 1).number == 2


@pytest.mark.parametrize(("fault", "kind"), [("flip", "once"), ("stuck", "always")])
def test_a_flipped_bit_is_found(place, capfd, fault, kind):
    computed = place.build("matmul-float16", "reductions")
    with pytest.raises(soaking.FoundWrong):
        place.soak(computed, 10**6, fault=f"soak:{fault}=1e-6")
    truth = next(line for line in capfd.readouterr().err.splitlines() if line.startswith("test:"))
    (found,) = json.loads(place.folder.soak.read_text())["findings"]
    (element,) = found["elements"]
    assert truth == (
        f"test: bit {element['bit'] % 8} of byte {element['byte']} of {found['computation']} is "
        f"flipped in computation {found['number']}"
    )
    assert found["kind"] == kind


def test_of_several_that_are_begun_each_is_looked_at(place, capfd):
    computed = place.build("elementwise", "integers")
    whole = place.soak(computed, 7, depth=3)
    assert whole.number == 7
    assert sum(one.computations for one in whole.computations) == 7 + 3 * len(computed)
    assert all(one.seconds > 0 for one in whole.computations if one.computations > 3)
    capfd.readouterr()
    with pytest.raises(soaking.FoundWrong):
        place.soak(computed, 10**6, fault="soak:flip=1e-6", depth=3)
    (wrong,) = read_progress(place.folder).findings
    assert f"is flipped in computation {wrong.number}\n" in capfd.readouterr().err


@pytest.mark.parametrize("spoiled", [{1}, {0, 1, 2}])
def test_a_bit_that_is_wrong_in_one_product_or_in_each_is_seen(place, monkeypatch, spoiled):
    (one,) = place.build("matmul-float32")
    right, matmul, calls = compute_words(one), tf.matmul, itertools.count()

    def spoil(left, other):
        product = matmul(left, other)
        flip = np.zeros((128, 128), "int32")
        flip[5, 9] = (next(calls) in spoiled) << 20
        bits = tf.bitwise.bitwise_xor(tf.bitcast(product, "int32"), flip)
        return tf.bitcast(bits, "float32")

    monkeypatch.setattr(tf, "matmul", spoil)
    (wrong,) = place.build("matmul-float32")
    (different,) = np.nonzero(compute_words(wrong) != right)
    assert different.tolist() == [(5 * 128 + 9) // 2]
    assert next(calls) == 3


def test_after_a_wrong_bit_it_can_go_on(place):
    after = place.soak(place.build("elementwise"), 12, fault="soak:flip=1e-5", keep_going=True)
    assert after.number == 12
    assert sum(one.wrong for one in after.computations) > 1
    assert len(after.findings) == sum(one.wrong for one in after.computations)


class Changing(Workload):
    """Gives another result at some of its calls."""

    def __init__(self, bench, wrong):
        Workload.__init__(
            self, bench, "changing", "/CPU:0", "8 words", [("int64", (8,))],
            lambda given: [given], (), lambda _: None,
        )  # fmt: skip
        self._wrong, self._calls = wrong, 0

    def compute(self, number):  # noqa: ARG002
        self._calls += 1
        return tf.constant([self._calls if self._calls in self._wrong else 0] * 8, "int64")


def test_a_kernel_that_is_not_deterministic_is_left_out(place):
    computed = [Changing(place.bench, range(1, 100)), *place.build("integers")]
    after = place.soak(computed, 5)
    assert after.computations[0].left_out == (
        "Its kernel is not deterministic: 8 repetitions gave 8 results"
    )
    assert after.computations[1].computations == soaking._REPEATS + 5


def test_one_other_result_among_the_first_is_a_wrong_bit(place):
    with pytest.raises(soaking.FoundWrong, match=r"wrong bits? in 8 elements"):
        place.soak([Changing(place.bench, (2,))], 5)


def test_what_cannot_be_computed_is_told_apart_from_faults():
    assert explain_unable(CannotRun("no TF32")) == "no TF32"
    error = tf.errors.UnimplementedError(None, None, "no kernel\nstack")
    assert explain_unable(error).endswith("UnimplementedError: no kernel")
    assert explain_unable(tf.errors.InternalError(None, None, "CUDA error")) == ""


def test_a_first_result_that_is_wrong_is_a_finding(place):
    (one,) = place.build("integers")
    with pytest.raises(soaking.FoundWrong, match="differs in 1 bits"):
        place.soak([one], 1, fault="soak:changed")
