"""Which keras and tf-keras go with a TensorFlow, and what shows that one does not."""

from packaging.specifiers import SpecifierSet

from fitguard.checks.fixes import installs
from fitguard.knowledge import Knowledge
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.finding import Evidence
from fitguard.schema.software import Package
from fitguard.schema.versions import Version, parse, text


def fitting_keras(release: Release, knowledge: Knowledge) -> str:
    """The keras package to ask pip for: `keras~=2.15.0`, `keras>=3.5.0`, `keras==2.1.4`."""
    if release.keras_kind == "keras3":
        return f"keras{release.keras}"
    if release.keras_kind == "keras2":
        return f"keras~={text(release.minor)}.0"
    fitting = [
        row.versions[1]
        for row in knowledge.keras.table.rows
        if row.package == "keras"
        and knowledge.keras.fit(row.versions[1], release) == "fits"
        # A row may fit but for one function: its note then says what fails.
        and "fails" not in row.note
    ]
    return f"keras=={fitting[-1]}"


def fitting_tf_keras(release: Release, knowledge: Knowledge) -> str | None:
    """The tf-keras package of the release's minor: `tf-keras~=2.16.0`; None where there is none."""
    for row in knowledge.keras.table.rows:
        if row.package == "tf-keras" and parse(row.versions[1])[:2] == release.minor:
            return f"tf-keras~={text(release.minor)}.0"
    return None


def proof(keras: Package, release: Release, knowledge: Knowledge) -> Evidence:
    """What shows that this keras does not go with the release: its wheel, or Keras' own code."""
    version = keras.version or ""
    if release.keras and not SpecifierSet(release.keras).contains(version, prereleases=True):
        return Evidence(
            f"TensorFlow {release.version} asks for keras {release.keras}",
            installs.metadata_source(knowledge),
        )
    row = knowledge.keras.row(version)
    note = row.note.lstrip("; ") if row else ""
    # A note tells what Keras calls that older releases lack; on the newer side it would mislead.
    told = f": {note}" if note and knowledge.keras.fit(version, release) == "too-new" else ""
    source = f" ({row.source})" if row else ""
    return Evidence(
        f"Keras {version} goes with TensorFlow {partners(version, knowledge)}{told}",
        f"{knowledge.keras.table.reference}{source}",
    )


def partners(version: str, knowledge: Knowledge) -> str:
    """The TensorFlow releases of a keras package: `2.13`, `1.5 or newer, below 2.0`."""
    least, below = knowledge.keras.releases_for(version)
    if least and below and _next_minor(parse(least)) == parse(below):
        return least
    return ", ".join(
        [*([f"{least} or newer"] if least else []), *([f"below {below}"] if below else [])]
    )


def _next_minor(version: Version) -> Version:
    return (version[0], version[1] + 1)


def describe_bundled_keras(release: Release) -> str:
    """A sentence for releases whose `tf.keras` does not come from the keras package."""
    if release.keras_kind != "bundled":
        return ""
    return " `tf.keras` is part of this TensorFlow and works without the keras package."
