"""Runs the stories of the documentation in a fresh environment, and writes down what is printed.

    python scripts/record.py [--only "out-of-memory it-hangs"]

`scripts/stories.toml` has the stories, docs/recorded the output, one file for each command. The
story `install` makes the environment, from a wheel of this tree; the others use it.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

TREE = Path(__file__).resolve().parent.parent
RECORDED = TREE / "docs/recorded"
README = TREE / "README.md"
HOME = TREE / "build/record"
LONGEST_SECONDS = 600
WIDTH = 140
BLOCK = re.compile(r"<!-- recorded: (\S+)( \d+)? -->\n```console\n(.*?)```", re.S)
"""Of the README: the name, how many lines are shown, the lines."""
_COLORS = re.compile(r"\x1b\[[0-9;]*m")
_BY_BASH = re.compile(r"^bash: line \d+:\s+\d+ (Segmentation fault).*")
_NOISE = re.compile(r"absl::InitializeLog|oneDNN custom operations|^I0000 ")
"""What TensorFlow writes at each start."""
_PROGRESS = re.compile(r"^ *\d+/\d+ ━")
_IN_PROGRESS = re.compile(r"| *\d+/\d+ ━.*")

Story = dict[str, Any]
Step = dict[str, Any]


def read_stories() -> list[Story]:
    """All of them, in their order."""
    with (TREE / "scripts/stories.toml").open("rb") as file:
        return tomllib.load(file)["stories"]


def digest(story: Story) -> str:
    """Changes with what a story runs: its commands, and the files that it is given."""
    made_from = [repr(story), *(_source(name) for name in story.get("files", {}).values())]
    return hashlib.sha256("\n".join(made_from).encode()).hexdigest()[:16]


def _source(name: str) -> str:
    return (TREE / name).read_text(encoding="utf-8")


def record(story: Story) -> None:
    """Run the commands of a story, one after the other, in a folder of its own."""
    folder = HOME if story["name"] == "install" else HOME / story["name"]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if story["name"] == "install":
        _build_wheel(folder)
    for name, source in story.get("files", {}).items():
        shutil.copy(TREE / source, folder / name)
    written = RECORDED / story["name"]
    shutil.rmtree(written, ignore_errors=True)
    written.mkdir(parents=True)
    for step in story["steps"]:
        print(f"{story['name']}: $ {step['command']}", flush=True)
        text = _run(step, folder, story.get("environment", {}))
        (written / f"{step['name']}.txt").write_text(text, encoding="utf-8")
    (written / "digest").write_text(digest(story) + "\n")


def _build_wheel(folder: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=TREE, check=True, stdout=subprocess.DEVNULL, timeout=120)


def _run(step: Step, folder: Path, environment: dict[str, str]) -> str:
    """One command, and all that it prints on both streams."""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{step['command']}\nexit $?"],
        cwd=folder,
        env=_environment(folder) | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=LONGEST_SECONDS,
    )
    expected = step.get("code", 0)
    text = done.stdout.decode(errors="replace")
    if done.returncode != expected:
        sys.exit(f"{text}\nexit code {done.returncode}. Expected {expected}")
    return "\n".join([f"$ {show(step)}", *_clean(text, step.get("keep", ()))]) + "\n"


def show(step: Step) -> str:
    """The command as the documentation shows it."""
    return str(step.get("show", step["command"]))


def _environment(folder: Path) -> dict[str, str]:
    passed = {name: os.environ[name] for name in os.environ if name.startswith("PIP_")}
    return {
        **passed,
        "PATH": f"{HOME}/venv/bin:{os.environ['PATH']}",
        "HOME": str(HOME),
        "XDG_CACHE_HOME": str(folder / ".cache"),
        "LANG": "C.UTF-8",
        "COLUMNS": "88",
        "NO_COLOR": "1",
        "CUDA_VISIBLE_DEVICES": "-1",
        "TF_CPP_MIN_LOG_LEVEL": "1",
    }


def _clean(output: str, keep: tuple[str, ...]) -> list[str]:
    """The lines as a terminal leaves them, without those that are not wanted."""
    lines: list[str] = []
    for line in _COLORS.sub("", output).replace(str(HOME), "~").splitlines():
        if _NOISE.search(line):
            continue
        line = _BY_BASH.sub(r"\1", line).rstrip()
        if keep and not any(re.search(pattern, line) for pattern in keep):
            line = "…"
        elif keep and len(line) > WIDTH and not line.startswith("fitguard"):
            line = f"{line[:WIDTH]} …"
        if line == "…" and lines[-1:] == ["…"]:
            continue
        # A progress bar draws each of its states over the last one.
        while lines and _PROGRESS.search(line) and _IN_PROGRESS.fullmatch(lines[-1]):
            lines.pop()
        lines.append(line)
    return [] if lines == ["…"] else lines


def refresh_readme() -> None:
    """Put what was recorded into the blocks of the README that ask for it."""
    text = README.read_text(encoding="utf-8")
    README.write_text(BLOCK.sub(_fill, text), encoding="utf-8")


def _fill(match: re.Match[str]) -> str:
    name, count = match[1], match[2] or ""
    return f"<!-- recorded: {name}{count} -->\n```console\n{excerpt(name, count)}```"


def excerpt(name: str, count: str) -> str:
    """The first lines of what was recorded; all of them without a count."""
    lines = (RECORDED / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    shown = [*lines[: int(count)], "…"] if count else lines
    return "\n".join(shown) + "\n"


def main() -> None:
    """Record the stories that are asked for."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--only", default="", help="names of stories")
    only = options.parse_args().only.split()
    for story in read_stories():
        if not only or story["name"] in only:
            record(story)
    refresh_readme()


if __name__ == "__main__":
    main()
