"""Bugs of TensorFlow, Keras and cuDNN that have a name, a range of versions and a remedy."""

from functools import cached_property

import msgspec

from fitguard.knowledge.table import Table


class KnownBug(msgspec.Struct, frozen=True, kw_only=True):
    """One bug.

    Args:
        package: Whose it is: tensorflow, keras, cudnn.
        since: The first version that has it; empty where all old ones do.
        below: The first version without it; empty where none is known.
        tensorflow_since, tensorflow_below: The TensorFlow releases that bring such a package, for
            where its own version is not known.
        signals: Signatures, one of which must be there.
        with_signals: Signatures, one of which must be there besides; none needed where empty.
        system: `windows`, where it is there only.
        weight: How sure it is, where all this is met and the version is known to be in the range.
        summary: What it does, as the end of the sentence "the bug that …".
        remedy: What to do, a whole sentence.
    """

    name: str
    package: str
    since: str = ""
    below: str = ""
    tensorflow_since: str = ""
    tensorflow_below: str = ""
    signals: tuple[str, ...]
    with_signals: tuple[str, ...] = ()
    system: str = ""
    weight: float
    summary: str
    remedy: str
    source: str


class KnownBugs:
    """All of them."""

    @cached_property
    def table(self) -> Table[KnownBug]:
        """The gravest evidence first."""
        return Table("known_bugs", KnownBug)
