"""What a line of a log means: the signatures, from `signatures/*.toml`."""

import re
import tomllib
from functools import cache, cached_property
from importlib import resources

import msgspec

from fitguard.schema.crash import Role
from fitguard.schema.diagnosis import CauseSlug

_SENTENCE_ENDS = (". ", "! ", "? ", "; ")


class Signature(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of line, and what it means.

    Args:
        name: What the line says, not what caused it; unique.
        anchors: Literal texts, one of which is in every such line, case and all. None for `words`,
            which are looked for in short texts only.
        pattern: What the line must match besides, anywhere in it; named groups become values. By
            default the anchors decide alone.
        patterns: Several of them, where one would grow too long to be read; one must match.
        unless: What the line must not match; of words, the sentence.
        fallback: It counts only where no signature with a smaller number knows the line; of words,
            where nothing else is known of the whole text.
        leans: What the line alone suggests, where no cause knows better: causes and weights.
        meaning: One sentence for the user. Of noise: why it is harmless.
        examples: Real lines.
        source: Where the wording was read.
    """

    name: str
    role: Role
    meaning: str
    examples: tuple[str, ...]
    source: str
    anchors: tuple[str, ...] = ()
    pattern: str | None = None
    patterns: tuple[str, ...] = ()
    unless: str | None = None
    fallback: int = 0
    leans: dict[CauseSlug, float] = {}

    def match(self, line: str) -> dict[str, str] | None:
        """What the named groups caught; None where the line is of another kind.

        The caller has found an anchor in the line.
        """
        if not self.searched:
            return None if self._is_excluded(line) else {}
        found = self.place(line)
        if found is None:
            return None
        return {name: text for name, text in found.groupdict().items() if text is not None}

    @property
    def searched(self) -> tuple[str, ...]:
        """All patterns."""
        return self.patterns if self.pattern is None else (self.pattern, *self.patterns)

    def place(self, text: str) -> re.Match[str] | None:
        """Where a pattern matches what is not excluded: the line, or of words the sentence."""
        for pattern in self.searched:
            for found in compile_pattern(pattern, self.role).finditer(text):
                whole = _sentence(text, found) if self.role == "words" else text
                if not self._is_excluded(whole):
                    return found
        return None

    def _is_excluded(self, text: str) -> bool:
        return self.unless is not None and bool(
            compile_pattern(self.unless, self.role).search(text)
        )


@cache
def compile_pattern(pattern: str, role: Role) -> re.Pattern[str]:
    """A pattern of a signature in this role: people write as they like, programs do not."""
    return re.compile(pattern, re.IGNORECASE if role == "words" else 0)


def _sentence(text: str, found: re.Match[str]) -> str:
    start = max(text.rfind(end, 0, found.start()) for end in _SENTENCE_ENDS) + 1
    stops = [at for end in _SENTENCE_ENDS if (at := text.find(end, found.end())) >= 0]
    return text[start : min(stops, default=len(text))]


def _read(text: str) -> list[Signature]:
    """The signatures of a file; `<<name>>` in a pattern stands for any word of its vocabulary."""
    table = tomllib.loads(text)
    words = {
        f"<<{name}>>": f"(?:{'|'.join(listed)})"
        for name, listed in table.get("vocabulary", {}).items()
    }

    def spell_out(pattern: str) -> str:
        for name, alternatives in words.items():
            pattern = pattern.replace(name, alternatives)
        return pattern

    for block in table["signature"]:
        if "pattern" in block:
            block["pattern"] = spell_out(block["pattern"])
        block["patterns"] = [spell_out(pattern) for pattern in block.get("patterns", ())]
    return msgspec.convert(table["signature"], list[Signature])


class Signatures:
    """All signatures."""

    @cached_property
    def all(self) -> tuple[Signature, ...]:
        """Every signature, by file and place in it."""
        folder = resources.files("fitguard.knowledge") / "signatures"
        files = sorted(
            (file for file in folder.iterdir() if file.name.endswith(".toml")),
            key=lambda file: file.name,
        )
        return tuple(
            signature for file in files for signature in _read(file.read_text(encoding="utf-8"))
        )

    @cached_property
    def by_anchor(self) -> dict[str, tuple[Signature, ...]]:
        """The signatures that each anchor leads to."""
        found: dict[str, list[Signature]] = {}
        for signature in self.all:
            for anchor in signature.anchors:
                found.setdefault(anchor, []).append(signature)
        return {anchor: tuple(signatures) for anchor, signatures in found.items()}

    @cached_property
    def words(self) -> tuple[Signature, ...]:
        """What people say."""
        return tuple(item for item in self.all if item.role == "words" and not item.fallback)

    @cached_property
    def topics(self) -> tuple[Signature, ...]:
        """What people speak of, where it is not clear what they say of it."""
        return tuple(item for item in self.all if item.role == "words" and item.fallback)

    @cached_property
    def by_name(self) -> dict[str, Signature]:
        """Each signature by its name."""
        return {signature.name: signature for signature in self.all}

    @cached_property
    def meanings(self) -> dict[str, str]:
        """Each signature's sentence, by name."""
        return {signature.name: signature.meaning for signature in self.all}
