"""Lines → signals: which of them mean something, and what."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from itertools import accumulate

import msgspec

from fitguard.crash.engine import Engine, engine
from fitguard.knowledge.log_signatures import Signature, Signatures
from fitguard.schema.crash import Line, Signal

KEPT_FIRST, KEPT_LAST = 40, 10
BATCH = 1000
"""So many lines are searched at once; one full of anchors has very many hits."""
WORDS_LIMIT = 16 * 1024
"""What a person wrote is short; words are not looked for in longer texts."""
_PROGRAM_OUTPUT = re.compile(
    r"\.(?:cc|cu|h|cpp):\d+\]|^\s+File \"|^\s*@\s+0x|^\s*\^+\s*$|━|\[=+>?\.*\]"
)


class Recogniser:
    """Knows all signatures, and one engine for all their anchors."""

    def __init__(self, signatures: Signatures) -> None:
        self.signatures = signatures
        self.anchors = tuple(signatures.by_anchor)

    @cached_property
    def engine(self) -> Engine:
        """Finds the anchors."""
        return engine([anchor.encode() for anchor in self.anchors])

    def signals(self, lines: Sequence[Line]) -> tuple[Signal, ...]:
        """The signals in these lines, in their order; of very many alike, the first and last."""
        found = [*self._match_lines(lines), *self._match_prose(lines, self.signatures.words)]
        if all(signal.role in ("clue", "noise", "context") for signal in found):
            known = {signal.order for signal in found if signal.role == "noise"}
            found += self._match_prose(lines, self.signatures.topics, known)
        found.sort(key=lambda signal: signal.order)
        return tuple(_thin_out(found))

    def _match_lines(self, lines: Sequence[Line]) -> Iterable[Signal]:
        for index, candidates in self._candidates(lines):
            line = lines[index]
            matched = [
                (signature, values)
                for signature in candidates
                if (values := signature.match(line.text)) is not None
            ]
            level = min((item.fallback for item, _ in matched if item.role != "clue"), default=0)
            for signature, values in matched:
                if signature.fallback == level or signature.role == "clue":
                    yield _signal(signature, line, index, values)

    def _candidates(self, lines: Sequence[Line]) -> Iterable[tuple[int, Iterable[Signature]]]:
        """Each line that holds an anchor, by its place, with the signatures it may be of."""
        for first in range(0, len(lines), BATCH):
            encoded = [
                line.text.encode("utf-8", "replace") for line in lines[first : first + BATCH]
            ]
            starts = list(accumulate((len(text) + 1 for text in encoded), initial=0))
            found: dict[int, dict[str, Signature]] = {}
            for number, end in sorted(self.engine.find(b"\n".join(encoded))):
                index = first + bisect_right(starts, end - 1) - 1
                for signature in self.signatures.by_anchor[self.anchors[number]]:
                    found.setdefault(index, {})[signature.name] = signature
            for index, candidates in sorted(found.items()):
                yield index, candidates.values()

    def _match_prose(
        self, lines: Sequence[Line], kinds: Iterable[Signature], known: Collection[int] = ()
    ) -> Iterable[Signal]:
        """What people describe, each kind once; their sentences go on over line ends.

        Args:
            known: The places of lines that are no prose.
        """
        prose = [
            n
            for n, line in enumerate(lines)
            if n not in known and not _PROGRAM_OUTPUT.search(line.text)
        ]
        starts = list(accumulate((len(lines[n].text) + 1 for n in prose), initial=0))
        if starts[-1] > WORDS_LIMIT:
            return
        text = " ".join(lines[n].text for n in prose)
        for signature in kinds:
            found = signature.place(text)
            if found is not None:
                index = prose[bisect_right(starts, found.start()) - 1]
                values = {name: caught for name, caught in found.groupdict().items() if caught}
                yield _signal(signature, lines[index], index, values)


def _signal(signature: Signature, line: Line, order: int, values: dict[str, str]) -> Signal:
    return Signal(
        name=signature.name,
        role=signature.role,
        text=line.text.strip(),
        source=line.source,
        line=line.number,
        order=order,
        worker=line.worker,
        values=values,
    )


def _thin_out(signals: Sequence[Signal]) -> Iterable[Signal]:
    """Of many with one name, the first and the last ones; each knows how many there were."""
    totals = Counter(signal.name for signal in signals)
    seen: Counter[str] = Counter()
    for signal in signals:
        seen[signal.name] += 1
        nth, total = seen[signal.name], totals[signal.name]
        if nth <= KEPT_FIRST or nth > total - KEPT_LAST:
            yield msgspec.structs.replace(signal, count=total)
