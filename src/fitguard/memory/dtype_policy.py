"""The dtype policy that `--policy` sets before the user's model is built."""

import importlib
import importlib.util
from typing import Any

from fitguard.contract.libraries import PACKAGES
from fitguard.inputs.models.asking import trait
from fitguard.inputs.models.kinds import sublayers
from fitguard.schema.exit_codes import UsageError


def set_policy(name: str) -> None:
    """Make it the policy of the layers that are built from now on, in both libraries."""
    for package in PACKAGES:
        if importlib.util.find_spec(package) is not None:
            importlib.import_module(package).mixed_precision.set_global_policy(name)


def require_policy(model: Any, name: str, script: str) -> None:
    """Make sure that the model was built under the policy.

    Raises:
        UsageError: No layer of it has the policy.
    """
    layers = sublayers(model)
    weighing = [layer for layer in layers if trait(layer, "weights")] or layers
    found = sorted({str(trait(layer.dtype_policy, "name")) for layer in weighing})
    if found and name not in found:
        raise UsageError(
            f"Received --policy {name}, but the layers of the model from {script} have "
            f"{', '.join(found)}. Expected a model that is built inside of FUNCTION, by code that "
            "sets no policy itself; a loaded model keeps the policy that it was saved with."
        )
