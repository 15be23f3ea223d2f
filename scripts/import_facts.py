"""Turn the collected compatibility facts (CSV) into the TOML tables that fitguard ships.

    python scripts/import_facts.py [FOLDER_WITH_CSV] [--date 2026-11-15]

The same CSV gives the same bytes. A table whose facts did not change keeps its file and its date;
one that did change gets the new date. Rows that differ in nothing but their version are written
once. A value that its source calls unverified is marked `uncertain`, and findings that rest on it
say so.
"""

import argparse
import csv
import json
import re
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
SOURCES = TREE / "knowledge-sources"
TABLES = TREE / "src/fitguard/knowledge/tables"
UNCERTAIN = re.compile(r"\?|unverified|not read|not checked|assumed|inferred|interpolated", re.I)

# Keras versions whose lowest TensorFlow was only "lowest checked", and proven since.
PROVEN_FLOORS = ("2.3.0", "2.3.1")
PROOF = "measured: Keras 2.3.1 stops at the import on TF 1.12.0 (get_graph), trains on 1.13.1"

Row = dict[str, str]
Block = dict[str, object]


def capabilities(text: str) -> list[str]:
    """`sm_60,sm_120` → ["6.0", "12.0"]."""
    numbers = re.findall(r"(?:sm|compute)_(\d+)", text)
    return [f"{number[:-1]}.{number[-1]}" for number in numbers]


def first_version(text: str) -> str:
    """`5.1.x` → 5.1, `8.7.0?` → 8.7.0, `7.4-7.6 (unverified)` → 7.4."""
    match = re.match(r"\d+(?:\.\d+)*", text)
    return match[0] if match else ""


def version_range(text: str) -> list[str]:
    """`7.6.0-7.6.3` → ["7.6.0", "7.6.3"]; one version stands for itself."""
    found = re.findall(r"\d+(?:\.\d+|\.x)*", text)
    return [found[0], found[-1]]


def keras_requirement(text: str) -> Block:
    """What `tf.keras` is in a release: part of it, a Keras 2 package, or Keras 3."""
    if text.startswith("no tf.keras"):
        return {"keras_kind": "none"}
    if "bundled" in text:
        return {"keras_kind": "bundled"}
    match = re.match(r"keras ([^ ]+)", text)
    if not match:
        raise ValueError(f"Received {text!r}. Expected 'keras RANGE (…)'")
    kind = "keras3" if "Keras 3" in text else "keras2"
    return {"keras_kind": kind, "keras": match[1]}


def tensorflow(row: Row) -> Block:
    return {
        "versions": [row["release"]],
        "pythons": row["python_wheel_tags"].split(),
        "cuda": row["cuda_build"],
        "cuda_documented": row["cuda_tested"],
        "cudnn": first_version(row["cudnn_compiled"]),
        "cudnn_documented": row["cudnn_tested"],
        "cudnn_uncertain": bool(
            UNCERTAIN.search(row["cudnn_compiled"] + row["cudnn_compiled_evidence"])
        ),
        "cudnn_source": row["cudnn_compiled_evidence"],
        **keras_requirement(row["keras"]),
        "numpy": row["numpy_range"],
        "numpy2": row["numpy2_ok"] == "yes",
        "protobuf": row["protobuf_range"],
        "windows_gpu": row["native_windows_gpu"] == "yes",
        "gpu_package": row["gpu_wheel"].split()[0],
        "plain_is_cuda": row["plain_tensorflow_wheel_is_cuda_build"] == "yes",
        "sass": capabilities(row["cc_sass"]),
        "ptx": capabilities(row["cc_ptx"]),
        "newest_mostly_ptx": bool(re.search(r"mostly PTX|by PTX JIT", row["note"])),
        "capabilities_source": row["cc_source"],
        "avx": row["cpu_isa"] == "AVX",
        "source": row["source"],
    }


def and_cuda(row: Row) -> Block:
    if row["package"] == "(none)":
        return {"versions": [row["tf"]], "pins": {}, "source": row["source"]}
    return {
        "versions": [row["tf"]],
        "pins": {row["package"]: row["requirement"]},
        "source": row["source"],
    }


def cuda_arch(row: Row) -> Block:
    added = re.findall(r"\b\d+\.\d\b", row["added_cc"])
    return {
        "cuda": row["cuda"],
        "least": row["min_cc_sass"],
        "newest": row["max_cc_sass"],
        "added": added,
        "source": row["source"],
        "note": row["note"],
        "uncertain": bool(re.search(r"not separately verified", row["note"])),
    }


def cuda_driver(row: Row) -> Block:
    return {
        "cuda": row["cuda"],
        "release": row["release"],
        "linux": re.sub(r"^R(\d+) branch$", r"\1", row["linux_toolkit_driver"]),
        "windows": row["windows_toolkit_driver"],
        "linux_minor": row["linux_minor_compat_min"],
        "windows_minor": row["windows_minor_compat_min"],
        "source": row["source"],
        "note": row["note"],
    }


def cudnn(row: Row) -> Block:
    least = re.findall(r"(\d+\.\d)(?: \(CUDA (\d+)[.x]*\d*\))?", row["min_cc"])
    return {
        "versions": version_range(row["cudnn"]),
        "cuda_toolkits": row["cuda_toolkits"],
        "least": {cuda or "any": capability for capability, cuda in reversed(least)},
        "soname": row["soname"],
        "source": row["source"],
        "note": row["note"],
        "uncertain": bool(UNCERTAIN.search(row["min_cc"] + row["source"] + row["note"])),
    }


def driver_arch(row: Row) -> Block:
    low, _, high = row["compute_capability"].partition("-")
    last = re.match(r"\d+", row["last_driver_branch"])
    return {
        "architecture": row["architecture"],
        "least": low.replace("1.x", "1.0"),
        "newest": (high or low).replace("1.x", "1.3"),
        "first_driver": row["first_driver_linux"],
        "last_branch": last[0] if last else "",
        "source": row["source"],
        "note": row["note"],
        "uncertain": bool(UNCERTAIN.search(row["note"])),
    }


def gpus(row: Row) -> Block:
    return {
        "name": row["gpu"],
        "capability": row["compute_capability"],
        "architecture": row["architecture"],
        "memory_gib": [float(number) for number in re.findall(r"\d+(?:\.\d+)?", row["memory_gib"])],
        "source": row["source"],
        "note": row["note"],
    }


def keras(row: Row) -> Block | None:
    if row["keras"].startswith("floor"):
        return None  # the same floors stand in the tensorflow table, as each wheel declares them
    package, _, version = row["keras"].rpartition(" ")
    proven = row["keras"] in PROVEN_FLOORS
    doubt = re.search(r"lowest checked|not checked", row["tf_min"] + row["note"])
    return {
        "package": package or "keras",
        "versions": version_range(version),
        "tensorflow_min": first_version(row["tf_min"]),
        "tensorflow_below": row["tf_max_exclusive"],
        "python": row["python"],
        "source": f"{row['source']}; {PROOF}" if proven else row["source"],
        "note": row["note"],
        "uncertain": bool(doubt) and not proven,
    }


def xid(row: Row) -> Block:
    return {
        "number": int(row["xid"]),
        "name": row["name"],
        "mnemonic": row["mnemonic"],
        "causes": row["likely_cause"].split(),
        "action": row["immediate_action"],
        "action_text": row["action_plain"],
        "follow_up": row["follow_up"],
        "source": row["source"],
        "note": row["note"],
    }


def merge_versions(blocks: Iterable[Block]) -> list[Block]:
    """Neighbours that agree in all but their version become one block."""
    merged: list[Block] = []
    for block in blocks:
        rest = {key: value for key, value in block.items() if key != "versions"}
        if merged and rest == {k: v for k, v in merged[-1].items() if k != "versions"}:
            merged[-1]["versions"] = [*merged[-1]["versions"], *block["versions"]]  # type: ignore[misc]
        else:
            merged.append(dict(block))
    return merged


def merge_pins(blocks: Iterable[Block]) -> list[Block]:
    """One block for each release with all its pins, then neighbours merged."""
    releases: dict[str, Block] = {}
    for block in blocks:
        known = releases.setdefault(str(block["versions"]), {**block, "pins": {}})
        known["pins"].update(block["pins"])  # type: ignore[attr-defined]
    return merge_versions(releases.values())


def literal(value: object) -> str:
    """A value as TOML; JSON's strings, numbers and lists are TOML's too."""
    if isinstance(value, dict):
        pairs = ", ".join(f"{json.dumps(key)} = {literal(item)}" for key, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    return json.dumps(value, ensure_ascii=False)


def render(blocks: list[Block], collected: str) -> str:
    """One table as TOML; long sources are named once, at the top."""
    sources = list(dict.fromkeys(str(block["source"]) for block in blocks))
    lines = [
        "# Written by scripts/import_facts.py; change the facts, not this file.",
        f'date = "{collected}"',
        "",
        "[sources]",
        *(f"s{number} = {literal(source)}" for number, source in enumerate(sources, 1)),
    ]
    for block in blocks:
        lines += ["", "[[rows]]"]
        for key, value in block.items():
            if key == "source":
                value = f"s{sources.index(str(value)) + 1}"
            if value not in ("", [], False):
                lines.append(f"{key} = {literal(value)}")
    return "\n".join(lines) + "\n"


CONVERTERS: dict[str, tuple[Callable[[Row], Block | None], Callable[..., list[Block]]]] = {
    "tensorflow": (tensorflow, merge_versions),
    "and_cuda_pins": (and_cuda, merge_pins),
    "cuda_arch": (cuda_arch, list),
    "cuda_driver": (cuda_driver, list),
    "cudnn": (cudnn, list),
    "driver_arch": (driver_arch, list),
    "gpus": (gpus, list),
    "keras": (keras, list),
    "xid": (xid, list),
}


def read_blocks(name: str, folder: Path = SOURCES) -> list[Block]:
    """The blocks of a table, from its CSV file."""
    convert, combine = CONVERTERS[name]
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return combine([block for block in map(convert, csv.DictReader(file)) if block])


def read_date(table: str) -> str:
    """The date that a table has now."""
    match = re.search(r'^date = "(.+)"$', table, re.M)
    return match[1] if match else ""


def main() -> None:
    """Write every table whose facts changed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path, nargs="?", default=SOURCES)
    parser.add_argument("--date", default=str(date.today()), help="of what changed; default: today")
    arguments = parser.parse_args()
    for name in CONVERTERS:
        blocks = read_blocks(name, arguments.folder)
        file = TABLES / f"{name}.toml"
        table = file.read_text(encoding="utf-8")
        if render(blocks, read_date(table)) == table:
            print(f"{name}: unchanged ({len(blocks)} blocks)")
            continue
        file.write_text(render(blocks, arguments.date), encoding="utf-8")
        print(f"{name}: written ({len(blocks)} blocks)")


if __name__ == "__main__":
    main()
