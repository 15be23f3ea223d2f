"""Several kinds of advice at once, where none of them is enough alone."""

import itertools
from collections.abc import Mapping, Sequence

from fitguard.memory.advice.input_size import choose_factor
from fitguard.memory.advice.optimizer import count_saved_bytes
from fitguard.memory.advice.precision import POLICY
from fitguard.memory.advice.question import Question, Shifted, proposal
from fitguard.memory.advice.recomputation import COMPILE, recompute
from fitguard.memory.estimate import Estimator
from fitguard.memory.training import Training
from fitguard.memory.variants.input_size import with_input_size
from fitguard.memory.variants.mixed_precision import with_policy
from fitguard.memory.variants.variant import CannotBeMade, Variant
from fitguard.schema.plan import Advice

_KINDS = ("mixed-precision", "smaller-input", "optimizer", "recomputation")
"""In the order in which they are written into a script."""
_CHEAPEST = ("recomputation", "optimizer", "mixed-precision", "smaller-input")


def together(question: Question, given: Sequence[Advice]) -> Advice | None:
    """As few of these as are enough together, the cheapest first; None where not even all are."""
    known = {one.slug: one for one in given}
    slugs = [slug for slug in _CHEAPEST if slug in known]
    versions = _Versions(question, known)
    everything = versions.judge(slugs)
    if everything is None or not everything.enough:
        return None
    for number in range(2, len(slugs)):
        for chosen in itertools.combinations(slugs, number):
            advice = versions.judge(chosen)
            if advice is not None and advice.enough:
                return advice
    return everything


class _Versions:
    """The step with several changes; each of them is traced once."""

    def __init__(self, question: Question, known: Mapping[str, Advice]) -> None:
        self._question = question
        self._advice = known
        self._known: dict[tuple[bool, bool], tuple[Training, Estimator]] = {}

    def judge(self, slugs: Sequence[str]) -> Advice | None:
        """All these as one piece of advice; None where that cannot be had."""
        parts = [self._advice[slug] for slug in _KINDS if slug in slugs]
        training, estimator = self._trace("mixed-precision" in slugs, "smaller-input" in slugs)
        saved = count_saved_bytes(self._question.training) if "optimizer" in slugs else 0
        texts = [part.text for part in parts if part.slug != "recomputation"]
        codes = {part.slug: part.code for part in parts if part.code}
        if "recomputation" in slugs:
            recomputed = recompute(self._question, training, estimator, saved)
            if isinstance(recomputed, str):
                return None
            estimator = recomputed.estimator
            texts.append(recomputed.text)
            # The model is compiled once, and with that optimizer.
            compiled = codes.pop("optimizer", COMPILE)
            codes["recomputation"] = recomputed.code.replace(COMPILE, compiled)
        return self._question.judge_advice(
            proposal(
                "together",
                f"Together: {'; '.join(part.title for part in parts)}",
                " ".join(texts),
                changes_results=any(part.changes_results for part in parts),
                code="\n".join(codes.values()),
            ),
            Shifted(estimator, -saved),
        )

    def _trace(self, mixed: bool, smaller: bool) -> tuple[Training, Estimator]:
        if (mixed, smaller) not in self._known:
            question, training = self._question, self._question.training
            if smaller:
                training = _require(with_input_size(training, choose_factor(question)))
            if mixed:
                training = _require(with_policy(training, POLICY))
            changed = training is not question.training
            estimator = question.estimator_of(training) if changed else question.estimator
            self._known[mixed, smaller] = training, estimator
        return self._known[mixed, smaller]


def _require(variant: Variant) -> Training:
    if variant.training is None:
        raise CannotBeMade(variant.reason)
    return variant.training
