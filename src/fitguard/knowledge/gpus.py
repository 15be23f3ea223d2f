"""GPU names as people, shops and NVML write them."""

import difflib
import re
from functools import cached_property

import msgspec

from fitguard.knowledge.table import Table
from fitguard.schema.versions import parse

USUAL_CAPABILITY = "8.6"
"""Assumed where nothing tells the compute capability: of the GPUs people train on, most have it."""

# Words that are in some names and tell nothing about the chip.
_EMPTY_WORDS = {
    "nvidia", "geforce", "tesla", "quadro", "graphics", "card", "gpu", "series", "design", "with",
    "edition", "founders", "corporation", "the", "an", "a", "generation", "gen", "superchip", "x",
    "serie", "workstation", "hbm2", "hbm2e", "hbm3", "hbm3e", "lite", "hash",
    "rate", "lhr",
}  # fmt: skip
# Words that do not change the compute capability: where a name lacks them, any variant will do.
_VARIANTS = {"pcie", "sxm", "sxm2", "sxm3", "sxm4", "sxm5", "nvl", "dgxs", "fhhl", "sff", "server"}
# Words that tell a newer model from its namesake. Who leaves them out may mean either: `RTX 6000`
# is of Turing or of Ada, `TITAN X` of Maxwell or of Pascal.
_GENERATIONS = ("pascal", "ada", "blackwell")
_SPELLINGS = (
    (r"\(r\)|\(tm\)|\(c\)|[®™©]", " "),
    (r"\bmig\b.*|\(cc[^)]*\)|\blite hash rate\b|\blhr\b", " "),
    (r"\bgrid\s+(\w+?)d?-\d+[abcq]\b", r"\1"),
    (r"^\s*\d+\s*(x|×|\*)\s+(?=\D)", " "),
    (r"\b(\d+)\s*(gib|gb|g)\b", r" \1gb "),
    (r"\bmax[\s-]?q\b", " maxq "),
    (r"\bmax[\s-]?p\b", " mobile "),
    (r"\b(laptop|notebook|mobile|portable)\b", " mobile "),
    (r"\b(gtx|rtx|gt|mx)[\s-]?(\d)", r"\1 \2"),
    (r"(\d)(ti)\b", r"\1 \2"),
    (r"(\d)\s*(super)\b", r"\1 \2"),
    (r"\btitan[\s-]?(xp|v|rtx|x|z|black)\b", r"titan \1_"),
    (r"[^a-z0-9_.]+", " "),
)
# Machines and short names that people give for the GPU in them.
_ALIASES = {"dgx spark": "GB10", "k40": "K40m", "k20": "K20m"}
_SERIES = re.compile(r"^(?P<family>gtx|rtx)\s+(?P<series>\d{1,2})(?P<placeholder>xx|00)?$")


class GpuModel(msgspec.Struct, frozen=True, kw_only=True):
    """A GPU model; `memory_gib` lists the sizes it was sold with."""

    name: str
    capability: str
    architecture: str
    memory_gib: tuple[float, ...] = ()
    source: str
    note: str = ""

    @property
    def in_laptops(self) -> bool:
        """Whether it is the variant that is built into laptops."""
        return not words(self.name).isdisjoint(("mobile", "maxq"))


def words(name: str) -> frozenset[str]:
    """The words of a name that tell models apart, in one spelling."""
    text = name.lower()
    for pattern, replacement in _SPELLINGS:
        text = re.sub(pattern, replacement, text)
    return frozenset(word for word in text.split() if word not in _EMPTY_WORDS)


class Gpus:
    """Looks GPU models up by name."""

    @cached_property
    def table(self) -> Table[GpuModel]:
        """All models."""
        return Table("gpus", GpuModel)

    @cached_property
    def _words(self) -> tuple[tuple[frozenset[str], GpuModel], ...]:
        return tuple((words(model.name), model) for model in self.table.rows)

    def find(self, name: str) -> tuple[GpuModel, ...]:
        """The models that a name can mean, empty where it is unknown.

        More than one where the name leaves the memory or the form open (`A100`), or names a
        series (`RTX 50`); their compute capability may then differ (`GTX 860M`, `RTX 6000`).
        """
        key = " ".join(sorted(words(name)))
        wanted = words(_ALIASES.get(key, name))
        found = self._find_by_words(wanted) or self._series(name)
        # The Ada cards dropped the family's name, so who says it means the older one.
        namesakes = () if "quadro" in name.lower() else _GENERATIONS
        newer = (model for word in namesakes for model in self._find_by_words(wanted | {word}))
        return tuple(dict.fromkeys((*found, *newer)))

    def _find_by_words(self, wanted: frozenset[str]) -> tuple[GpuModel, ...]:
        return self._exact(wanted) or self._open_variants(wanted)

    def capabilities(self, name: str) -> tuple[str, ...]:
        """The compute capabilities that a name can mean, lowest first."""
        return tuple(sorted({model.capability for model in self.find(name)}, key=parse))

    def is_series(self, name: str) -> bool:
        """Whether a name means a whole series: `RTX 50`."""
        return not self._find_by_words(words(name)) and bool(self._series(name))

    def similar(self, name: str, count: int = 3) -> tuple[str, ...]:
        """Names that look like this one, for an error message."""
        known = {model.name.lower(): model.name for model in self.table.rows}
        close = difflib.get_close_matches(name.lower(), known, n=count, cutoff=0.4)
        return tuple(known[item] for item in close)

    def _exact(self, wanted: frozenset[str]) -> tuple[GpuModel, ...]:
        return tuple(model for own, model in self._words if own == wanted)

    def _open_variants(self, wanted: frozenset[str]) -> tuple[GpuModel, ...]:
        """Models that differ from the name in memory, form or laptop variant alone."""
        core = {word for word in wanted if not _is_detail(word)}
        if not core:
            return ()
        found = [
            (len(own ^ wanted), model)
            for own, model in self._words
            if {word for word in own if not _is_detail(word)} == core or _numbers_only(own) == core
        ]
        if not found:
            return ()
        least = min(distance for distance, _ in found)
        return tuple(model for distance, model in found if distance <= least + 1)

    def _series(self, name: str) -> tuple[GpuModel, ...]:
        """`RTX 50`, `RTX 50 series`, `GTX 10xx`: all models of the series."""
        match = _SERIES.match(" ".join(sorted(words(name), key=lambda word: word[0].isdigit())))
        if not match:
            return ()
        number = re.compile(rf"{match['series']}\d\d")
        return tuple(
            model
            for own, model in self._words
            if model.name.startswith("GeForce")
            and match["family"] in own
            and any(number.fullmatch(word) for word in own)
        )


def _is_detail(word: str) -> bool:
    return word in _VARIANTS or word in ("maxq", "mobile") or word.endswith("gb")


def _numbers_only(own: frozenset[str]) -> set[str]:
    """What people write when they leave the family out: `4090`, `1080 ti`."""
    return {word for word in own if not _is_detail(word) and word not in ("rtx", "gtx")}
