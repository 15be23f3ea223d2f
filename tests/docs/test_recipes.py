"""The recipes for clusters: options that there are, and numbers that fit together."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

from fitguard.cli.main import app
from fitguard.cli.run import delimit_command
from fitguard.schema.journal import LEFT_AS_ASKED

TREE = Path(__file__).parent.parent.parent
EXAMPLES = TREE / "examples"
COMMAND = re.compile(r"fitguard (run\b[^\n]*?)(?:\s+>>.*|\s+#.*)?$", re.MULTILINE)


def read_commands(text: str) -> list[list[str]]:
    """The words behind `fitguard` of each line that a shell would run."""
    return [shlex.split(found) for found in COMMAND.findall(text.replace("\\\n", " "))]


def parse(words: list[str]) -> dict:
    """The options of `fitguard run` by name; an error for one that there is not."""
    _, bound, _ = app.parse_args(
        ["run", *delimit_command(words[1:])], exit_on_error=False, print_error=False
    )
    return bound.arguments


def read_kubernetes() -> dict:
    return yaml.safe_load((EXAMPLES / "kubernetes.yaml").read_text())["spec"]


def read_shown() -> list[list[str]]:
    page = (TREE / "docs/clusters.md").read_text()
    blocks = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    return [words for block in blocks for words in read_commands(block)]


@pytest.mark.parametrize("words", read_shown(), ids=" ".join)
def test_the_page_shows_options_that_there_are(words):
    assert parse(words)["command"] == ("train.py",)


def test_slurm():
    script = EXAMPLES / "slurm.sh"
    subprocess.run(["bash", "-n", script], check=True)
    text = script.read_text()
    (words,) = read_commands(text)
    options = parse(words)
    sent, before = re.search(r"#SBATCH --signal=(\w+)@(\d+)", text).groups()
    assert options["preempt_signal"] == (sent,)
    assert options["grace_seconds"] < int(before)
    assert options["resume"] == "auto"
    assert f'[ "$code" -eq {LEFT_AS_ASKED} ]' in text


def test_kubernetes():
    job = read_kubernetes()
    pod = job["template"]["spec"]
    options = parse(pod["containers"][0]["command"][1:])
    assert options["grace_seconds"] < pod["terminationGracePeriodSeconds"]
    assert options["resume"] == "auto"
    rules = job["podFailurePolicy"]["rules"]
    assert rules[0]["onExitCodes"] == {"operator": "In", "values": [LEFT_AS_ASKED]}
    assert pod["restartPolicy"] == "Never"  # a pod policy needs it


def test_cron():
    lines = read_commands((EXAMPLES / "crontab").read_text())
    assert len(lines) == 2
    assert all(parse(words)["resume"] == "auto" and parse(words)["name"] for words in lines)
