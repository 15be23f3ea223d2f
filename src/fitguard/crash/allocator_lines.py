"""The lines of the allocator's dump, in the spellings of all eras."""

import re

SIGNALS = frozenset(
    {
        "oom-allocating",
        "allocator-refused",
        "async-allocator-refused",
        "xla-out-of-memory",
        "allocator-dump",
    }
)
"""The signatures that tell of a refusal; without any of them no line needs to be looked at."""

MOST_BYTES = 2**80
"""No machine has more: who writes that is no allocator."""
_NUMBER = r"\d{1,20}(?!\d)"
"""Bounded, because sums and shares of it are counted as floats."""
_SIZE = rf"{_NUMBER}(?:\.\d{{1,20}})?(?:[KMGT]i?B|B)?"

MAY_MATTER = re.compile(
    r"o(?:f memory|f size|f in-use|ut of)|_limit_|Limit: |InUse: |OOM when|dump for |Bin \(|"
    r"failed to allocate|otal memory: |_allocator|[*_x]{50}"
)
ASKED = re.compile(
    rf"(?:(?:Allocator \((?P<allocator>[^)]*)\) r|R)an out of memory trying to allocate|"
    rf"(?P<stream_allocator>\w{{1,40}}) cuMemAllocAsync failed to allocate|"
    rf"(?P<xla>Out of memory while trying to allocate)) (?P<size>{_SIZE})"
    rf"(?: \(rounded to (?P<rounded>{_NUMBER})\))?(?: ?requested by op(?P<op>[^\n]*))?"
)
OOM = re.compile(
    r"OOM when allocating tensor(?: of| with)? ?shape ?"
    r"\[(?P<shape>(?:\d{1,20}(?:,\d{1,20})*,?)?)\]"
    r"(?: and type (?P<dtype>\w+))?(?: on \S+)?(?: by allocator (?P<allocator>[\w.]+))?"
    r"(?: \[Op:(?P<op>\w+)\])?"
)
DUMP = re.compile(r"BFCAllocator dump for (?P<allocator>\w{1,60})|Bin \(256\):")
SUM_IN_USE = re.compile(rf"Sum Total of in-use chunks: (?P<size>{_SIZE})")
CHUNK = re.compile(
    rf"\b(?P<state>InUse|Chunk|Free ?) at (?:0x)?[0-9a-f]+ of size (?P<size>{_NUMBER})"
)
SUMMARY = re.compile(rf"\b(?P<count>{_NUMBER}) Chunks of size (?P<size>{_NUMBER}) totalling")
HISTOGRAM = re.compile(
    rf"gpu_cudamallocasync_allocator\.cc:\d+\] (?P<size>{_NUMBER}), (?P<count>{_NUMBER})\s*$"
)
POOL = re.compile(
    rf"memory_limit_: (?P<limit>{_SIZE}) available (?:bytes|size): (?P<available>{_SIZE})"
)
FREE_OF_TOTAL = re.compile(rf"Free memory/Total memory: (?P<free>{_NUMBER})/(?P<total>{_NUMBER})")
STATISTIC = re.compile(rf"(?:^|\s)(?P<name>Limit|InUse): +(?P<size>{_SIZE})\s*$")
# A line of underscores alone is a rule, as Keras draws it in the summary of a model.
OCCUPANCY = re.compile(r"(?:^|\s)(?P<map>(?=[_x]*\*)[*_x]{50,})\s*$")

_UNITS = {"B": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
DTYPES = {
    "bool": 1,
    "int8": 1,
    "uint8": 1,
    "half": 2,
    "bfloat16": 2,
    "int16": 2,
    "float": 4,
    "int32": 4,
    "double": 8,
    "int64": 8,
    "complex64": 8,
    "complex128": 16,
}
"""Bytes of one element, by the name that TensorFlow's errors use."""


def size(text: str) -> int | None:
    """`2.00GiB`, `10.8KiB` and `11214430208` in bytes."""
    found = re.fullmatch(r"(\d{1,24}(?:\.\d{1,24})?)([KMGT])?i?B?", text)
    if found is None:
        return None
    return round(float(found[1]) * _UNITS[found[2] or "B"])
