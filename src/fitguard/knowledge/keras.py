"""Keras and tf-keras: which TensorFlow each works with."""

from functools import cached_property
from typing import Literal

import msgspec

from fitguard.knowledge.table import Table
from fitguard.knowledge.tensorflow import Release
from fitguard.schema import versions
from fitguard.schema.versions import Version, parse

KerasFit = Literal["fits", "too-new", "too-old", "unknown"]


class KerasVersions(msgspec.Struct, frozen=True, kw_only=True):
    """A range of versions of `keras` or `tf-keras`, and the TensorFlow it works with."""

    package: str
    versions: tuple[str, str]
    tensorflow_min: str = ""
    tensorflow_below: str = ""
    python: str = ""
    source: str
    note: str = ""
    uncertain: bool = False


class TfKerasFailure(msgspec.Struct, frozen=True, kw_only=True):
    """Minors of tf-keras that fail with minors of TensorFlow."""

    tf_keras_from: str
    tf_keras_below: str
    tensorflow_from: str
    tensorflow_below: str
    error: str
    source: str


class Keras2Package(msgspec.Struct, frozen=True, kw_only=True):
    """A package that works with Keras 2 only; `needs` names what makes it work beside Keras 3."""

    package: str
    reason: str
    below: str = ""
    needs: str = ""
    source: str


class Keras:
    """Queries on Keras."""

    @cached_property
    def table(self) -> Table[KerasVersions]:
        """Keras' versions, oldest first, then tf-keras'."""
        return Table("keras", KerasVersions)

    @cached_property
    def keras2_packages(self) -> Table[Keras2Package]:
        """Packages that work with Keras 2 only."""
        return Table("keras2_packages", Keras2Package)

    @cached_property
    def tf_keras_failures(self) -> Table[TfKerasFailure]:
        """Pairs of tf-keras and TensorFlow that fail."""
        return Table("tf_keras_failures", TfKerasFailure)

    def tf_keras_failure(self, tf_keras: str, release: Release) -> TfKerasFailure | None:
        """Why this tf-keras is known to fail with a release."""
        have = parse(tf_keras)[:2]
        for row in self.tf_keras_failures.rows:
            ours = parse(row.tf_keras_from) <= have < parse(row.tf_keras_below)
            if ours and parse(row.tensorflow_from) <= release.minor < parse(row.tensorflow_below):
                return row
        return None

    def row(self, version: str, package: str = "keras") -> KerasVersions | None:
        """The row that covers this version: the last that does not start after it."""
        wanted = parse(version)
        covering = [
            row
            for row in self.table.rows
            if row.package == package and parse(row.versions[0])[: len(wanted)] <= wanted
        ]
        return (
            covering[-1] if covering and parse(covering[-1].versions[0])[0] == wanted[0] else None
        )

    def fit(self, keras: str, release: Release) -> KerasFit:
        """Whether a keras package works with a TensorFlow release.

        The wheel's requirement is asked first (TensorFlow has one since 2.6; those of 2.6.0 and
        2.6.1 let too much in), then what Keras' own source calls of TensorFlow.
        """
        if release.keras_kind in ("keras2", "keras3"):
            verdict = _against_requirement(parse(keras), release.keras)
            if verdict != "fits":
                return verdict
        row = self.row(keras)
        if row is None:
            return "unknown"
        tensorflow = parse(release.version)
        if row.tensorflow_min and versions.older(tensorflow, parse(row.tensorflow_min)):
            return "unknown" if row.uncertain else "too-new"
        if row.tensorflow_below and tensorflow >= parse(row.tensorflow_below):
            return "too-old"
        return "fits"

    def releases_for(self, keras: str) -> tuple[str, str]:
        """The TensorFlow range (from, below) of a keras package; empty where open."""
        row = self.row(keras)
        return (row.tensorflow_min, row.tensorflow_below) if row else ("", "")


def _against_requirement(have: Version, requirement: str) -> KerasFit:
    """Which side of a range a version falls on; a short `3` may be any 3.x and so fits."""
    from packaging.specifiers import SpecifierSet  # slow to import, and seldom needed

    for item in SpecifierSet(requirement):
        bound = parse(item.version)
        if item.operator in (">=", "~=") and versions.older(have, bound):
            return "too-old"
        known = len(have) >= len(bound)
        if item.operator == "<" and (versions.newer(have, bound) or (known and have >= bound)):
            return "too-new"
        if item.operator == "~=" and versions.newer(have[: len(bound) - 1], bound[:-1]):
            return "too-new"
    return "fits"
