"""What people read first is in American English, and says "you"."""

import re
from pathlib import Path

import pytest

TREE = Path(__file__).parent.parent.parent
PAGES = [
    *(TREE / "docs").rglob("*.md"),
    *(TREE / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
]
BRITISH = re.compile(
    r"\b\w*(?:colour|behaviour|favour|artefact|licence|centre|catalogue|cancelled)\w*"
    r"|\b(?:optimis|normalis|recognis|initialis|serialis|organis|minimis|summaris)\w+"
    r"|\b(?:afterwards|whilst|towards)\b",
    re.I,
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TREE)))
def test_american_spelling(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    assert not BRITISH.findall(text)
