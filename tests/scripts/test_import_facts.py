"""The tables that fitguard ships are what the CSV files of the repository give."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent.parent / "scripts/import_facts.py"
_spec = importlib.util.spec_from_file_location("import_facts", SCRIPT)
import_facts = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(import_facts)


@pytest.mark.parametrize("name", import_facts.CONVERTERS)
def test_the_table_is_what_its_csv_gives(name):
    table = (import_facts.TABLES / f"{name}.toml").read_text(encoding="utf-8")
    made = import_facts.render(import_facts.read_blocks(name), import_facts.read_date(table))
    assert made == table, "the CSV or the table was changed: run `make facts`"


def test_every_csv_is_a_table():
    assert {file.stem for file in import_facts.SOURCES.glob("*.csv")} == set(
        import_facts.CONVERTERS
    )
