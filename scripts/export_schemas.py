"""Write the JSON Schemas of fitguard's documents into the package.

    python scripts/export_schemas.py

To be run after a change of a struct in `schema/`; a test fails where it was forgotten.
"""

from pathlib import Path

from fitguard.report.json_schemas import json_schema_text
from fitguard.report.registry import BY_NAME

FOLDER = Path(__file__).parent.parent / "src/fitguard/knowledge/schemas"


def main() -> None:
    """Write one file for each kind of document."""
    FOLDER.mkdir(exist_ok=True)
    for name in BY_NAME:
        file = FOLDER / f"{name}.json"
        file.write_text(json_schema_text(name), encoding="utf-8")
        print(file)


if __name__ == "__main__":
    main()
