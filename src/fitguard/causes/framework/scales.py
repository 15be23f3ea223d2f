"""How the evidence for and against one cause is weighed."""

from dataclasses import dataclass

from fitguard.schema.crash import Signal
from fitguard.schema.finding import Evidence, Finding, Fix

Proof = Signal | Evidence | Finding
"""What can speak for a cause: a line, a quoted fact, or a finding of the doctor."""


@dataclass(frozen=True)
class Verdict:
    """How much speaks for a cause.

    Args:
        weight: 0 to 1. From about 0.85 on the evidence names the cause; 0.65 is likely; below 0.5
            it is one possibility among others and never the primary cause.
        signals: The lines that speak for it, strongest first.
        evidence: What is quoted, strongest first.
        summary: One line on what happened in this very case; empty for that of the cause.
        fallout: Whether another process failed first, and this one only tells of it.
    """

    weight: float
    signals: tuple[Signal, ...]
    evidence: tuple[Evidence, ...]
    why: str
    fix: Fix
    summary: str = ""
    fallout: bool = False


class Scales:
    """Weighs one cause.

    Independent evidence adds up as chances do: two halves make three quarters. What speaks against
    the cause takes its share of the whole.

    Example:
        >>> scales = Scales()
        >>> scales.add(0.5, Evidence("a", "log"))
        >>> scales.add(0.5, Evidence("b", "log"))
        >>> scales.take(0.2)
        >>> round(scales.weight, 2)
        0.6
    """

    def __init__(self) -> None:
        self._for: list[tuple[float, tuple[Proof, ...]]] = []
        self._against: list[float] = []

    def add(self, weight: float, *proofs: Proof | None) -> None:
        """Let something speak for the cause; without proof (all None) nothing is added."""
        found = tuple(proof for proof in proofs if proof is not None)
        if found:
            self._for.append((weight, found))

    def take(self, share: float) -> None:
        """Let something speak against it: 1 rules it out."""
        self._against.append(share)

    @property
    def weight(self) -> float:
        """The sum."""
        missing = 1.0
        for weight, _ in self._for:
            missing *= 1 - weight
        total = 1 - missing
        for share in self._against:
            total *= 1 - share
        return total

    def verdict(self, why: str, fix: Fix, summary: str = "") -> Verdict | None:
        """The verdict; None where nothing is left."""
        if not self._for or self.weight <= 0:
            return None
        ordered = sorted(self._for, key=lambda entry: -entry[0])
        proofs = [proof for _, found in ordered for proof in found]
        return Verdict(
            weight=self.weight,
            signals=tuple(proof for proof in proofs if isinstance(proof, Signal)),
            evidence=tuple(dict.fromkeys(e for proof in proofs for e in _quote_proof(proof))),
            why=why,
            fix=fix,
            summary=summary,
        )


def _quote_proof(proof: Proof) -> tuple[Evidence, ...]:
    if isinstance(proof, Signal):
        return (proof.evidence,)
    if isinstance(proof, Finding):
        return (Evidence(proof.title, f"fitguard doctor, {proof.code}"), *proof.evidence[:2])
    return (proof,)
