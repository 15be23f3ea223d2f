"""Wrong bits that tests ask for in a soak: `FITGUARD_PROBE_FAULT=soak:flip=1e-9` in the parent.

    flip=P        each element that is computed has one wrong bit with this probability
    stuck=P       likewise; from then on this element of this computation is always wrong
    changed       all results are other ones than in the session before

What was flipped is written to stderr, so that a test knows the truth.
"""

import random
import sys

from .workload import count_elements, measure_element

_PREFIX = "soak:"
_KINDS = ("flip", "stuck", "changed")


def read_flips(text):
    """What is asked for; None where it is nothing, or another fault."""
    if not text or not text.startswith(_PREFIX):
        return None
    kind, _, value = text[len(_PREFIX) :].partition("=")
    return Flips(kind, float(value or 0)) if kind in _KINDS else None


class Flips(object):
    """Draws from the computer's own random numbers: each run has others."""

    def __init__(self, kind, probability):
        self._kind, self._probability = kind, probability
        self._random = random.SystemRandom()
        self._stuck = {}

    def spoil(self, tf, workload, words, number):
        """A result, in most cases as it is.

        Args:
            number: Of the computation; None while references are computed.
        """
        if self._kind == "changed":
            return self._flip(tf, words, 0, 0)
        if number is None:
            return words
        place = self._stuck.get(id(workload))
        if place is None and self._random.random() < self._probability * workload.elements:
            place = self._draw(workload)
            sys.stderr.write(
                "test: bit %d of byte %d of %s is flipped in computation %d\n"
                % (place[1], place[0], workload.name, number)
            )
            sys.stderr.flush()
            if self._kind == "stuck":
                self._stuck[id(workload)] = place
        return words if place is None else self._flip(tf, words, *place)

    def _draw(self, workload):
        sizes = [
            count_elements(shape) * measure_element(dtype) for dtype, shape in workload.outputs
        ]
        return self._random.randrange(sum(sizes)), self._random.randrange(8)

    def _flip(self, tf, words, byte, bit):
        mask = 1 << (8 * (byte % 8) + bit)
        mask -= 2**64 if mask >= 2**63 else 0
        sparse = tf.scatter_nd([[byte // 8]], tf.constant([mask], "int64"), [int(words.shape[0])])
        return tf.bitwise.bitwise_xor(words, tf.cast(sparse, "int64"))
