"""What a line or a finding of the doctor alone suggests, where no cause knows better.

A cause weighs what it knows. A line that none of them knows, an error code say, may still lean to
some of them; its signature says so (`leans`). So does what the doctor finds wrong with the machine.
"""

from collections.abc import Sequence
from dataclasses import replace

from fitguard.causes.framework.registry import Cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.knowledge.log_signatures import Signature, Signatures
from fitguard.schema.crash import Story
from fitguard.schema.diagnosis import CauseSlug
from fitguard.schema.finding import Finding, Fix

MERE_TOPIC = 0.45
"""What a text merely speaks of never decides."""
FOUND_WRONG = {"high": 0.42, "medium": 0.3, "low": 0.2}
"""How much an error that the doctor finds speaks for its cause, by the doctor's confidence."""
CAUSES_OF: dict[CauseSlug, frozenset[str]] = {
    "container-gpu-access": frozenset({"container-no-gpu"}),
    "cpu-isa": frozenset({"cpu-isa"}),
    "cuda-missing": frozenset({"cuda-missing", "cuda-version-mismatch"}),
    "cuda-path-conflict": frozenset({"cuda-path-conflict", "wrong-library-first"}),
    "cudnn-mismatch": frozenset({"cudnn-too-old", "cudnn-too-new", "cudnn-major-mismatch"}),
    "cudnn-missing": frozenset({"cudnn-missing"}),
    "driver-broken": frozenset({"driver-library-mismatch", "driver-missing", "driver-generic"}),
    "driver-too-old": frozenset({"driver-too-old"}),
    "gpu-arch-unsupported": frozenset(
        {"gpu-arch-too-old", "gpu-arch-too-new", "driver-dropped-gpu", "cudnn-dropped-arch"}
    ),
    "gpu-memory-taken": frozenset({"gpu-busy"}),
    "hardware-fault": frozenset({"gpu-unhealthy", "gpu-hot"}),
    "host-oom": frozenset({"host-memory-low"}),
    "multi-gpu-comm": frozenset({"shm-too-small"}),
    "package-conflict": frozenset(
        {
            "keras-too-new-for-tf", "keras-too-old-for-tf", "keras3-vs-keras2-code",
            "tf-keras-minor-mismatch", "numpy2-abi", "numpy-too-new", "protobuf-too-new",
            "protobuf-too-old", "python-too-new", "python-too-old", "package-duplicate",
            "package-broken", "package-removed", "tensorflow-shadowed", "tensorflow-import-fails",
        }
    ),
    "tf-cpu-only": frozenset({"cpu-only-wheel"}),
    "windows-gpu-unsupported": frozenset({"windows-native-no-gpu"}),
    "xla-toolchain": frozenset({"xla-toolchain-missing"}),
}  # fmt: skip
"""The doctor's findings that kill a run by each cause."""


def list_named(story: Story, signatures: Signatures) -> list[Signature]:
    """The signatures of the lines of a story, each once, in their order."""
    return [signatures.by_name[name] for name in dict.fromkeys(s.name for s in story.signals)]


def verdict(cause: Cause, story: Story, named: Sequence[Signature]) -> Verdict | None:
    """The cause's own verdict, or what single lines and findings suggest if that is more.

    Args:
        named: Of the lines of the story.
    """
    own = cause.function(story)
    leaning = _leaning(cause, story, named)
    if own is None or (leaning is not None and leaning.weight > own.weight):
        return leaning
    return own


def _leaning(cause: Cause, story: Story, named: Sequence[Signature]) -> Verdict | None:
    scales = Scales()
    leaning = [signature for signature in named if cause.slug in signature.leans]
    for signature in leaning:
        scales.add(signature.leans[cause.slug], story.first(signature.name))
    wrong = _wrong(cause, story)
    if wrong is not None:
        scales.add(FOUND_WRONG[wrong.confidence], wrong)
    reasons = [signature.meaning for signature in leaning]
    found = scales.verdict(
        why=" ".join([*reasons, f"The doctor finds: {wrong.title}."] if wrong else reasons),
        fix=wrong.fix if wrong else Fix(cause.remedy),
    )
    if found is not None and not wrong and all(item.role == "words" for item in leaning):
        return replace(found, weight=min(found.weight, MERE_TOPIC))
    return found


def _wrong(cause: Cause, story: Story) -> Finding | None:
    """What the doctor finds wrong that leads to this cause."""
    slugs = CAUSES_OF.get(cause.slug, frozenset())
    errors = (finding for finding in story.findings if finding.severity == "error")
    return next((finding for finding in errors if finding.slug in slugs), None)
