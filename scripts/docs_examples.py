"""An extension of griffe: `Example:` in a docstring is code, as `Examples:` is."""

from typing import Any

import griffe


class Examples(griffe.Extension):
    """Renames the section before it is read."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called for each object that is read."""
        if obj.docstring is not None:
            obj.docstring.value = obj.docstring.value.replace("Example:\n", "Examples:\n")
