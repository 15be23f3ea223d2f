"""Single lines and sentences in many wordings: what stands first in the answer."""

import tomllib
from pathlib import Path

import pytest
from causes.tell import tell

WORDINGS: dict[str, list[str]] = tomllib.loads(
    (Path(__file__).parent / "wordings.toml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(
    ("cause", "text"), [(cause, text) for cause, texts in WORDINGS.items() for text in texts]
)
def test_the_likeliest_cause(cause: str, text: str) -> None:
    told = tell(text + "\n")
    listed = [found.cause for found in told.causes]
    assert (told.primary or (listed[0] if listed else "none")) == cause


def test_no_healthy_line_is_an_alarm() -> None:
    assert tell("\n".join(WORDINGS["none"]) + "\n").primary == "none"
