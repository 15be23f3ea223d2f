"""Prints a notebook that was run, as a person sees it: `show_notebook.py FILE.ipynb`."""

import json
import sys
from pathlib import Path


def main(notebook: Path) -> None:
    """Each cell with its number, and below it what it gave."""
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        print(f"In [{cell['execution_count']}]:")
        print("".join(cell["source"]))
        for output in cell["outputs"]:
            data = output.get("data", {})
            print("".join(output.get("text", data.get("text/plain", ""))).rstrip())
        print()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
