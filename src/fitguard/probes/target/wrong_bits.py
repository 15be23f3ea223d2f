"""A wrong result: where it is wrong, and how that is said."""

import collections

from .workload import measure_element

MOST_SHOWN = 16
ONCE, ALWAYS, CHECKING, SESSIONS, REFERENCE = (
    "once", "always", "checking", "sessions", "reference",
)  # fmt: skip
"""How a result was wrong."""


def locate_wrong_bits(workload, got, expected):
    """How many elements and bits are wrong, and which come first.

    Args:
        got: The words of a result, as `expected`: those that it should have.
    """
    np = workload.bench.np
    left, right = got.view(np.uint8), expected.view(np.uint8)
    wrong = np.flatnonzero(left != right)
    bits = int(np.unpackbits(left[wrong] ^ right[wrong]).sum())
    shown = collections.OrderedDict()
    for byte in wrong[: 8 * MOST_SHOWN]:
        output, dtype, place = workload.locate(int(byte))
        if (output, tuple(place)) in shown or len(shown) == MOST_SHOWN:
            continue
        flipped = int(left[byte]) ^ int(right[byte])
        bit = next(bit for bit in range(8) if flipped >> bit & 1)
        inside = int(byte) % measure_element(dtype)
        shown[output, tuple(place)] = {
            "output": output, "element": place, "type": dtype, "byte": int(byte),
            "bit": 8 * inside + bit, "got": int(left[byte]) >> bit & 1,
            "expected": int(right[byte]) >> bit & 1,
        }  # fmt: skip
    return workload.count_touched(wrong), bits, list(shown.values())


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
            "%s gives another result than in the session that ended on %s, with the same "
            "versions on the same device" % (where, finding["text"])
        )
    if finding["kind"] == CHECKING:
        return "the checksum of %s was wrong, and the result was right" % where
    first = finding["elements"][0]
    part = " of part %d" % (first["output"] + 1) if finding["parts"] > 1 else ""
    again = "was right" if finding["kind"] == ONCE else "was wrong again"
    return (
        "%s has %s in %s; the first is bit %d of element %s%s of type %s, which is %d. "
        "Expected %d. Computed again at once, it %s"
        % (
            where, _count(finding["wrong_bits"], "wrong bit"),
            _count(finding["wrong_elements"], "element"), first["bit"], first["element"],
            part, first["type"], first["got"], first["expected"], again,
        )
    )  # fmt: skip


def _count(number, noun):
    return "%d %s%s" % (number, noun, "" if number == 1 else "s")
