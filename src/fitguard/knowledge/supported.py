"""The versions that fitguard was proven with, and what to say about others."""

from functools import cache

import msgspec

from fitguard.knowledge.table import Table
from fitguard.schema.versions import newer, older, parse


class SupportedRange(msgspec.Struct, frozen=True, kw_only=True):
    """Minor versions of a package, both ends included."""

    name: str
    package: str
    oldest: str
    newest: str
    source: str

    def describe_outside(self, version: str) -> str:
        """What is outside about a version; empty where nothing is."""
        have = parse(version)
        if older(have, parse(self.oldest)):
            side, bound = "older", self.oldest
        elif newer(have, parse(self.newest)):
            side, bound = "newer", self.newest
        else:
            return ""
        end = "oldest" if side == "older" else "newest"
        proven = f"the {end} that fitguard was proven with"
        return f"{self.name} {version} is {side} than {bound}, {proven}"


@cache
def table() -> Table[SupportedRange]:
    """All ranges; those of one package from the oldest on."""
    return Table("supported", SupportedRange)


def judge_versions(tensorflow: str, library_package: str, library_version: str, python: str) -> str:
    """The sentence that warns about versions outside of the table; empty where there are none.

    A version that is not known, an empty text, is not judged.

    Args:
        library_package: `keras` or `tf_keras`.
    """
    given = {"python": python, "tensorflow": tensorflow, library_package: library_version}
    said = [
        _range_for(package, have).describe_outside(have) for package, have in given.items() if have
    ]
    outside = [sentence for sentence in said if sentence]
    return "; ".join([*outside, "the hooks decide"]) if outside else ""


def proven_versions() -> str:
    """All ranges in one line: `Python 3.11 to 3.13, TensorFlow 2.13 to 2.21, …`."""
    return ", ".join(f"{row.name} {row.oldest} to {row.newest}" for row in table().rows)


def _range_for(package: str, version: str) -> SupportedRange:
    """The last range that does not begin after the version, or the first of all."""
    ranges = [row for row in table().rows if row.package == package]
    begun = [row for row in ranges if not older(parse(version), parse(row.oldest))]
    return (begun or ranges[:1])[-1]
